/**
 * From a request to a use case: the parameters are read in the order of the route, and where one is wrong, or the use
 * case refuses the input, all faults of the request are reported at once. A good request costs one pass over the
 * parameters; faults are collected only after the first one is found.
 */
import { DomainError, type ParameterFault } from '../service/domain-error.js';
import { unknownCountry } from '../service/find-country.js';
import { type CountryFinder, countryFinderOf } from '../service/meant-country.js';
import type { InputRule, UseCase } from '../service/service.js';
import { createMisspeltFinder } from './misspelt-params.js';
import { type Parameter, type Target, WrongValue } from './params.js';

/** The parameters of a route by the fields of its use case's input, in the order in which they are read. */
type NamedParameters = readonly (readonly [field: string, parameter: Parameter<unknown>])[];

/** The use case as a function of the request. `rule` is its rule about the input, if it has one. */
export function bindUseCase<Input>(
  useCase: UseCase<Input>,
  parameters: NamedParameters,
  rule: InputRule | undefined,
): UseCase<Target> {
  const findMisspelt = createMisspeltFinder(
    parameters.flatMap(([, { name, source }]) => (source === 'query' ? [name] : [])),
  );

  /** Undefined where a parameter is wrong. */
  function readInput(target: Target): Input | undefined {
    const input: Record<string, unknown> = {};
    for (const [field, parameter] of parameters) {
      const value = parameter.read(target);
      if (value instanceof WrongValue) return undefined;
      input[field] = value;
    }
    return input as Input;
  }

  /** Those of wrong values and of the codes of no country, in the order of the route. */
  function listFaults(target: Target, findMeant: CountryFinder): ParameterFault[] {
    return parameters.flatMap(([, parameter]) => {
      const value = parameter.read(target);
      if (value instanceof WrongValue) return [value.describe(findMeant)];
      const codes = value === undefined ? [] : (parameter.codesIn?.(value) ?? []);
      return codes.flatMap((code) => {
        const meant = findMeant(code);
        return meant === code ? [] : [unknownCountry(code, parameter.name, meant)];
      });
    });
  }

  /** The first wrong value gives the message: the code of no country is an error of its own only where it is alone. */
  function firstMessage(target: Target, findMeant: CountryFinder): string {
    for (const [, parameter] of parameters) {
      const value = parameter.read(target);
      if (value instanceof WrongValue) return value.describe(findMeant).message;
    }
    throw new Error('no parameter is wrong');
  }

  function listRuleFaults(target: Target): readonly ParameterFault[] {
    return rule?.(Object.fromEntries(parameters.map(([field, parameter]) => [field, parameter.read(target)]))) ?? [];
  }

  function invalid(message: string, faults: readonly ParameterFault[], { query }: Target): DomainError {
    return new DomainError('VALIDATION_FAILED', message, [...faults, ...findMisspelt(query)]);
  }

  return (snapshot, target) => {
    const input = readInput(target);
    if (input === undefined) {
      const findMeant = countryFinderOf(snapshot);
      const faults = [...listFaults(target, findMeant), ...listRuleFaults(target)];
      throw invalid(firstMessage(target, findMeant), faults, target);
    }
    try {
      return useCase(snapshot, input);
    } catch (error) {
      const isInvalid = error instanceof DomainError && error.code === 'VALIDATION_FAILED';
      if (!isInvalid || error.details === undefined) throw error;
      const faults = [...listFaults(target, countryFinderOf(snapshot)), ...error.details];
      throw invalid(error.message, faults, target);
    }
  };
}
