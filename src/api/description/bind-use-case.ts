/**
 * From a request to a use case: the parameters are read in the order of the route, and where one is wrong, or the use
 * case refuses the input, one error names all faults of the request. A good request costs one pass over the parameters;
 * faults are collected only after the first one is found. A parameter that was probably meant otherwise is a fault too.
 */

import type { InputRule, UseCase } from '../../core/answers/service.js';
import { countryFinderOf, unknownCountry } from '../../core/lookup/countries.js';
import { DomainError, type ParameterFault } from '../../core/lookup/domain-error.js';
import { inLanguages } from '../../core/snapshot/in-languages.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { createMisspeltFinder } from './misspelt-parameters.js';
import { type Parameter, type Target, WrongValue } from './parameters.js';
import type { LANGUAGES } from './shared-parameters.js';

/** The parameters of a route by the fields of its use case's input, in the order in which they are read. */
type NamedParameters = readonly (readonly [field: string, parameter: Parameter<unknown>])[];

/** Whether a target is refused whatever the snapshot is: for the value of a parameter, or by the rule about the input. */
export function isRefused(parameters: NamedParameters, rule: InputRule | undefined, target: Target): boolean {
  const values = parameters.map(([field, parameter]) => [field, parameter.read(target)] as const);
  if (values.some(([, value]) => value instanceof WrongValue)) return true;
  return rule !== undefined && rule(Object.fromEntries(values)).length > 0;
}

/** The use case as a function of the request. `rule` is its rule about the input, if it has one. */
export function bindUseCase<Input extends { readonly [LANGUAGES]?: string | undefined }>(
  useCase: UseCase<Input>,
  parameters: NamedParameters,
  rule: InputRule | undefined,
): UseCase<Target> {
  const namesIn = (wanted: Parameter<unknown>['source']): string[] =>
    parameters.flatMap(([, { name, source }]) => (source === wanted ? [name] : []));
  const findMisspelt = createMisspeltFinder(namesIn('query'), namesIn('path'));

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

  /**
   * The error that names all faults: wrong values and the codes of no country in the order of the route, then those that
   * `refusal`, the error of the use case, has, then misspelt parameters. Its message is that of the refusal or of the first
   * fault that is no country's: the code of no country is an error of its own only where it is alone.
   */
  function describeFaults(snapshot: Snapshot, target: Target, refusal?: DomainError): DomainError {
    const findMeant = countryFinderOf(snapshot);
    const values = parameters.map(([, parameter]) => parameter.read(target));
    const faults = parameters.flatMap(([, parameter], index) => {
      const value = values[index];
      if (value instanceof WrongValue) return [value.describe(findMeant)];
      const codes = value === undefined ? [] : (parameter.codesIn?.(value) ?? []);
      return codes.flatMap((code) => {
        const meant = findMeant(code);
        return meant === code ? [] : [unknownCountry(code, parameter.name, meant)];
      });
    });
    const input = Object.fromEntries(parameters.map(([field], index) => [field, values[index]]));
    const others = [...(refusal?.details ?? rule?.(input) ?? []), ...findMisspelt(target.query)];
    const wrong = values.find((value): value is WrongValue => value instanceof WrongValue);
    const { message } = refusal ?? wrong?.describe(findMeant) ?? (others[0] as ParameterFault);
    return new DomainError('VALIDATION_FAILED', message, [...faults, ...others]);
  }

  return (snapshot, target) => {
    const input = readInput(target);
    if (input === undefined || findMisspelt(target.query).length > 0) throw describeFaults(snapshot, target);
    try {
      const { lang } = input;
      return useCase(lang === undefined ? snapshot : inLanguages(snapshot, lang), input);
    } catch (error) {
      const isInvalid = error instanceof DomainError && error.code === 'VALIDATION_FAILED';
      throw isInvalid && error.details !== undefined ? describeFaults(snapshot, target, error) : error;
    }
  };
}
