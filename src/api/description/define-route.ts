/**
 * What a route is: a path, a use case, its parameters, and what the description of the API says of them. The compiler
 * checks that the parameters add up to the input of the use case.
 */

import { inputRules, type Service, type UseCase } from '../../core/answers/service.js';
import { bindUseCase, isRefused } from './bind-use-case.js';
import type { ErrorCode } from './error-codes.js';
import type { JsonSchema } from './json-schema.js';
import type { Parameter, Target } from './parameters.js';
import type { LANGUAGES } from './shared-parameters.js';

/** What the description of the API says of a route beside its path and parameters. */
export interface Operation {
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** Of `data` on success. */
  readonly data: JsonSchema;
  /**
   * The codes that this route's own parameters and use case can end with; docs/openapi.json adds those of all routes.
   */
  readonly errors: readonly ErrorCode[];
  /** Values of parameters by name, such that the starter dataset has an answer. */
  readonly example: Readonly<Record<string, string | number | boolean>>;
}

export interface Route extends Operation {
  /** The name of the use case, and of the operation in the description. */
  readonly id: keyof Service;
  readonly path: string;
  readonly parameters: readonly Parameter<unknown>[];
  /** Binds the route to a service: the result reads the parameters, then runs the use case. */
  readonly bind: (service: Service) => UseCase<Target>;
  /** See the function of that name. */
  readonly isRefused: (target: Target) => boolean;
}

/** A route's path as OpenAPI writes it. */
export function routeTemplateOf({ path }: Pick<Route, 'path'>): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

type InputOf<Id extends keyof Service> = Parameters<Service[Id]>[1] & {
  /** The languages in which the use case sees the snapshot. */
  readonly [LANGUAGES]?: string | undefined;
  /** The format of the answer, which is made of the data of the use case. */
  readonly format?: string | undefined;
};

/** The route of a use case; its parameters are read, and their faults reported, in the order of `parameters`. */
export function route<Id extends keyof Service>(
  id: Id,
  path: string,
  parameters: { readonly [Name in keyof InputOf<Id>]: Parameter<InputOf<Id>[Name]> },
  operation: Operation,
): Route {
  const entries = Object.entries(parameters) as [string, Parameter<unknown>][];
  return {
    ...operation,
    id,
    path,
    parameters: entries.map(([, parameter]) => parameter),
    bind: (service) => bindUseCase(service[id] as UseCase<InputOf<Id>>, entries, inputRules[id]),
    isRefused: (target) => isRefused(entries, inputRules[id], target),
  };
}

/** The request of an example, as its route reads it. Parameters without a value are left out. */
export function routeTargetOf(
  { parameters }: Pick<Route, 'parameters'>,
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): Target {
  const path: Record<string, string> = {};
  const query = new URLSearchParams();
  for (const { name, source } of parameters) {
    const value = values[name];
    if (value === undefined) continue;
    if (source === 'path') path[name] = encodeURIComponent(value);
    else query.set(name, String(value));
  }
  return { path, query: String(query) };
}
