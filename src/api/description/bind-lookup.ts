/**
 * A lookup is the parameters of one route in an object, as a bulk request and the library have them. A lookup is made a
 * target of its route, so rules, messages and answers are those of the route, and so are parameters that the route gets
 * later.
 */

import type { ResponseData } from '../../core/answers/response-data.js';
import type { Service, UseCase } from '../../core/answers/service.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Route } from './define-route.js';
import { isParameterOfSomeRoute } from './misspelt-parameters.js';
import { invalidParameter, type Target } from './parameters.js';
import { routeOf } from './routes.js';

/** An object of untrusted content. */
export type Lookup = Readonly<Record<string, unknown>>;

/** The answer to a lookup; `shared` has the values for parameters that the lookup itself lacks. */
export type LookUp = (snapshot: Snapshot, lookup: Lookup, shared?: Lookup) => ResponseData;

const SCALAR = 'a text, a number, true or false';
const NOTHING: Lookup = {};

interface ParameterNames {
  readonly all: ReadonlySet<string>;
  readonly inPath: readonly string[];
}

/** Binds the lookups of one route to a service; `bind` binds the route. */
export function bindLookup(
  id: keyof Service,
  service: Service,
  bind = (route: Route, to: Service): UseCase<Target> => route.bind(to),
): LookUp {
  const route = routeOf(id);
  const names = namesOf(route);
  const answer = bind(route, service);
  return (snapshot, lookup, shared = NOTHING) => answer(snapshot, toTarget(names, lookup, shared));
}

/** Whether a lookup is refused whatever the snapshot is. Throws DomainError for a value that no parameter can have. */
export function isRefusedLookup(id: keyof Service, lookup: Lookup): boolean {
  const route = routeOf(id);
  return route.isRefused(toTarget(namesOf(route), lookup, NOTHING));
}

function namesOf({ parameters }: Route): ParameterNames {
  return {
    all: new Set(parameters.map(({ name }) => name)),
    inPath: parameters.flatMap(({ source, name }) => (source === 'path' ? [name] : [])),
  };
}

/** Whether the object has the key itself. Null stands for a value that is left out, as many programs write it. */
export function lookupHas(values: Lookup, name: string): boolean {
  return Object.hasOwn(values, name) && values[name] !== null;
}

/** The target of the request that asks for the lookup alone. */
function toTarget(names: ParameterNames, own: Lookup, shared: Lookup): Target {
  const path: Record<string, string> = {};
  for (const name of names.inPath) {
    const text = encode(name, lookupHas(own, name) ? own[name] : shared[name]);
    if (text !== undefined) path[name] = text;
  }
  let query = '';
  const add = (values: Lookup, name: string): void => {
    if (names.inPath.includes(name) || values[name] == null) return;
    // An unknown name may be a misspelt parameter, whatever its value is.
    const text = names.all.has(name) ? encode(name, values[name]) : '';
    if (text !== undefined) query += `${query === '' ? '' : '&'}${encodeText(name, name)}=${text}`;
  };
  for (const name of Object.keys(own)) add(own, name);
  for (const name of Object.keys(shared)) {
    // A default may be meant for lookups of another route.
    const isForOthers = !names.all.has(name) && isParameterOfSomeRoute(name);
    if (!isForOthers && !lookupHas(own, name)) add(shared, name);
  }
  return { path, query };
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The value as the text of a parameter, percent-encoded; undefined for one that is left out. */
function encode(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isScalar(value)) throw invalidParameter(name, `${name} must be ${SCALAR}`, SCALAR);
  return encodeText(name, typeof value === 'number' ? toDecimal(value) : String(value));
}

/** Text that stays as it is. */
const PLAIN = /^[A-Za-z0-9]*$/;

function encodeText(name: string, text: string): string {
  if (PLAIN.test(text)) return text;
  try {
    return encodeURIComponent(text);
  } catch {
    throw invalidParameter(name, `${JSON.stringify(name)} has half of a surrogate pair`, 'well-formed Unicode');
  }
}

/** Small numbers without the exponent with which JSON writers put them, because no rule takes one. */
function toDecimal(value: number): string {
  const text = String(value);
  return text.includes('e-') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}
