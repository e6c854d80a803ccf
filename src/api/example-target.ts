/** A request as a route reads it, made of the values of an example. */
import type { Target } from './params.js';
import type { Route } from './route.js';

/** Parameters without a value are left out. */
export function exampleTarget(
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
