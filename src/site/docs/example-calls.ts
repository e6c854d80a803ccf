/**
 * An example of each operation that the served snapshot answers: the description's own values where the snapshot has
 * what they name, else those of a place that it has, found on the way from a country with data to a postal code. The
 * answers come from the service in this process. All examples of the world take some 15 ms, once for each snapshot.
 */

import { CLIENT_CLASS, PYTHON_PACKAGE, pythonName, TYPESCRIPT_PACKAGE } from '../../api/description/client-names.js';
import { exampleTarget, type Route, templateOf } from '../../api/description/define-route.js';
import { routeOf, routes } from '../../api/description/routes.js';
import { oncePer } from '../../base/once-per.js';
import { parseJson } from '../../core/snapshot/parse-json.js';
import { readEntry, readPlace } from '../../core/snapshot/place-fields.js';
import type { PlaceResource } from '../../core/snapshot/rendered-places.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { describeRelease } from '../../core/use-cases/changes.js';
import { DomainError } from '../../core/use-cases/domain-error.js';
import { type ResponseData, readResponseData } from '../../core/use-cases/response-data.js';
import { service } from '../../core/use-cases/service.js';
import { type Content, html } from '../html/html.js';
import { curlCommand, KEY_TO_PUT_IN } from '../html/place-parts.js';
import { type CoveredCountry, isCovered } from '../site-snapshot.js';
import { type ApiReference, type ExampleValue, type Operation, type Parameter, wholeJson } from './reference.js';

export interface ExampleCall {
  /** By names of parameters. */
  readonly values: ExampleValues;
  /** Undefined where the operation takes no body. */
  readonly body: unknown;
  /** `data` of the answer; undefined where none can be shown. */
  readonly data: unknown;
  /** Whether the served snapshot gave the answer; otherwise it is the description's, which the starter dataset gave. */
  readonly isServed: boolean;
}

export type ExampleValues = Readonly<Record<string, ExampleValue>>;

/** Maximum number of countries whose places take the place of those that the snapshot lacks. */
const TRIED_COUNTRIES = 5;
/** Maximum number of places of a country that are read until one has a postal code. */
const TRIED_PLACES = 1_000;

/** What answers in this process of the operations that are not in the table of routes. */
const PUBLIC_ANSWERS: Readonly<Record<string, (snapshot: Snapshot) => ResponseData>> = { getRelease: describeRelease };

export function exampleCall(snapshot: Snapshot, operation: Operation): ExampleCall {
  const values = Object.fromEntries(
    operation.parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
  );
  const described = { values, body: operation.body?.example, data: operation.exampleData, isServed: false };
  const route = operation.body === undefined ? routes.find(({ id }) => id === operation.id) : undefined;
  if (route === undefined) {
    const answer = PUBLIC_ANSWERS[operation.id];
    return answer === undefined ? described : { ...described, data: parse(answer(snapshot)), isServed: true };
  }
  const found = findExample(snapshot, route, values);
  return found === undefined ? { ...described, data: undefined } : { ...described, ...found, isServed: true };
}

/** The first values that the snapshot answers with something, else that it answers; undefined if it answers none. */
export function findExample(
  snapshot: Snapshot,
  route: Route,
  values: ExampleValues,
): Pick<ExampleCall, 'values' | 'data'> | undefined {
  const useCase = route.bind(service);
  let first: Pick<ExampleCall, 'values' | 'data'> | undefined;
  for (const substitutes of listSubstitutes(snapshot)) {
    const tried = substitute(values, substitutes);
    try {
      const data = parse(useCase(snapshot, exampleTarget(route, tried)));
      if (hasFound(data)) return { values: tried, data };
      first ??= { values: tried, data };
    } catch (error) {
      // The snapshot lacks what the values name.
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return first;
}

function parse(data: ResponseData): unknown {
  return parseJson(readResponseData(data));
}

/** Nothing in place of the description's own values; then what is known of releases, and of places of the snapshot. */
function* listSubstitutes(snapshot: Snapshot): Generator<ExampleValues> {
  yield {};
  yield { since: snapshot.changes.lists()[0]?.header.since ?? snapshot.release };
  for (const country of snapshot.countries.filter(isCovered).slice(0, TRIED_COUNTRIES)) {
    const leaf = findLeaf(country, 'first');
    if (leaf === undefined) continue;
    const detail = parse(service.getPlace(snapshot, { country: leaf.countryCode, id: leaf.id }));
    const { ancestors } = detail as { readonly ancestors: readonly PlaceResource[] };
    const codes = { first: leaf.postalCode ?? '', last: findLeaf(country, 'last')?.postalCode ?? '' };
    for (const place of [leaf, ...ancestors.toReversed()]) yield valuesOf(place, codes);
  }
}

/** The first or the last place with a postal code. */
function findLeaf({ structures }: CoveredCountry, end: 'first' | 'last'): PlaceResource | undefined {
  const { placeCount } = structures.tree;
  for (let tried = 0; tried < Math.min(placeCount, TRIED_PLACES); tried++) {
    const place = end === 'first' ? tried : placeCount - 1 - tried;
    if (readEntry(structures, place).postalCode !== null) return readPlace(structures, place);
  }
  return undefined;
}

/** By the names that parameters have; the first code is that of the place, or of a place in it. */
function valuesOf(
  { countryCode, id, path, name, latitude, longitude }: PlaceResource,
  { first, last }: { readonly first: string; readonly last: string },
): ExampleValues {
  return {
    ...{ country: countryCode, countries: countryCode, id, place: id, path, postcode: first, q: name },
    ...{ lat: latitude, lng: longitude, from: `${countryCode}:${first}`, to: `${countryCode}:${last}` },
  };
}

/** The values with each that has a substitute replaced by it. */
function substitute(values: ExampleValues, substitutes: ExampleValues): ExampleValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, substitutes[name] ?? value]));
}

/** Whether an answer shows something: no empty list or page, and no code that was not found. */
function hasFound(data: unknown): boolean {
  if (Array.isArray(data)) return data.length > 0;
  const { items, match } = data as { readonly items?: unknown; readonly match?: unknown };
  return !(Array.isArray(items) && items.length === 0) && match !== 'none';
}

/*
 * An operation of the description as a call that can be pasted: with curl, with the TypeScript client and with the
 * Python client, each with the values of the example. The clients have no operations without a key, and those with a
 * body are written with what the languages have themselves. The programs are whole: they run as they are once the key
 * is put in.
 */

export interface CallExample {
  readonly language: 'curl' | 'JavaScript' | 'Python';
  readonly code: string;
}

type Argument = Parameter & { readonly example: ExampleValue };

/** Empty where a value is missing that the call needs. */
export function listCallExamples(
  operation: Operation,
  { values, body }: Pick<ExampleCall, 'values' | 'body'>,
  apiUrl: string,
): CallExample[] {
  const { id, method, path, parameters, isKeyed } = operation;
  const given = parameters.flatMap((parameter): Argument[] => {
    const example = values[parameter.name];
    return example === undefined ? [] : [{ ...parameter, example }];
  });
  if (parameters.some(({ name, isRequired }) => isRequired && values[name] === undefined)) return [];
  const target = targetOf(path, given);
  if (operation.body !== undefined) return callsWithBody(method, apiUrl + target, isKeyed, body);
  const curl = curlCommand(apiUrl, target, isKeyed);
  if (!isKeyed) return [{ language: 'curl', code: curl }];
  return [
    { language: 'curl', code: curl },
    { language: 'JavaScript', code: typescriptCall(id, given, apiUrl) },
    { language: 'Python', code: pythonCall(id, given, apiUrl) },
  ];
}

function targetOf(path: string, given: readonly Argument[]): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given.find((argument) => argument.place === 'path' && argument.name === name)?.example ?? ''),
  );
  const query = given
    .filter(({ place }) => place === 'query')
    // A slash may stand in a query, and a path is easier to read with slashes.
    .map(({ name, example }) => `${name}=${encodeURIComponent(example).replaceAll('%2F', '/')}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function typescriptCall(id: string, given: readonly Argument[], apiUrl: string): string {
  const fields = given.map(({ name, example }) => `${name}: ${quoted(example)}`).join(', ');
  return `import { ${CLIENT_CLASS} } from '${TYPESCRIPT_PACKAGE}';

const places = new ${CLIENT_CLASS}({ baseUrl: ${quoted(apiUrl)}, apiKey: '${KEY_TO_PUT_IN}' });
console.log(await places.${id}(${fields === '' ? '' : `{ ${fields} }`}));`;
}

function quoted(value: ExampleValue): string {
  if (typeof value !== 'string') return String(value);
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

function pythonCall(id: string, given: readonly Argument[], apiUrl: string): string {
  const values = given.map(({ name, isRequired, example }) => {
    const value = pythonPlain(example);
    return isRequired ? value : `${pythonName(name)}=${value}`;
  });
  return `from ${PYTHON_PACKAGE} import ${CLIENT_CLASS}

places = ${CLIENT_CLASS}(${JSON.stringify(apiUrl)}, "${KEY_TO_PUT_IN}")
print(places.${pythonName(id)}(${values.join(', ')}))`;
}

function callsWithBody(method: string, url: string, isKeyed: boolean, body: unknown): CallExample[] {
  if (body === undefined) return [];
  const headers = [['content-type', 'application/json'], ...(isKeyed ? [['x-api-key', KEY_TO_PUT_IN]] : [])];
  const json = wholeJson(body);
  const curlHeaders = headers.map(([name, value]) => ` -H '${name}: ${value}'`).join('');
  const fields = headers.map(([name, value]) => `'${name}': '${value}'`).join(', ');
  return [
    {
      language: 'curl',
      code: `curl -X ${method}${curlHeaders} '${url.replaceAll("'", '%27')}' -d '${json.replaceAll("'", `'\\''`)}'`,
    },
    {
      language: 'JavaScript',
      code: `const response = await fetch(${quoted(url)}, {
  method: '${method}',
  headers: { ${fields} },
  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),
});
console.log((await response.json()).data);`,
    },
    {
      language: 'Python',
      code: `import json
from urllib.request import Request, urlopen

body = ${wholeJson(body, pythonPlain)}
headers = {${fields}}
request = Request(${JSON.stringify(url)}, json.dumps(body).encode(), headers, method="${method}")
with urlopen(request) as response:
    print(json.load(response)["data"])`,
    },
  ];
}

/** A text, number, boolean or null as Python writes it. */
function pythonPlain(value: unknown): string {
  if (value === null) return 'None';
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
}

/* A call in several languages, of which one is shown at a time, also without a script. */

/** One example is open: those of one group close each other. */
export function codeTabs(group: string, examples: readonly CallExample[]): Content {
  return (
    examples.length > 0 &&
    html`<div class="examples">${examples.map(
      ({ language, code }, index) => html`<details class="example" name="${group}"${index === 0 && html` open`}>
<summary>${language}</summary>
<pre tabindex="0"><code class="copy">${code}</code></pre>
</details>
`,
    )}</div>`
  );
}

/*
 * The first call that a reader is shown: the places of a postal code. It is the description's own example where the
 * served snapshot has it, else a code that the snapshot has, so the call is answered.
 */

export interface FirstCall {
  /** The path of the call. */
  readonly target: string;
  /** `data` of the answer. */
  readonly data: PostcodeData;
}

interface PostcodeData {
  readonly places: readonly PlaceResource[];
}

const OPERATION_ID = 'findPostcode';

/** Undefined where the snapshot has no postal code. */
export const servedFirstCall = oncePer((snapshot: Snapshot): FirstCall | undefined => {
  const route = routeOf(OPERATION_ID);
  const found = findExample(snapshot, route, route.example);
  return found && { target: filledTarget(found.values), data: found.data as PostcodeData };
});

/** The path of the first call, or of another that any snapshot answers. */
export function firstTarget(snapshot: Snapshot): string {
  return servedFirstCall(snapshot)?.target ?? '/v1/countries';
}

/** The call as the documents have it; undefined where the description has no answer to it. */
export function describedFirstCall({ operations }: ApiReference): FirstCall | undefined {
  const data = operations.find(({ id }) => id === OPERATION_ID)?.exampleData;
  return data === undefined
    ? undefined
    : { target: filledTarget(routeOf(OPERATION_ID).example), data: data as PostcodeData };
}

/** The first place of the answer, as the programs of the quickstart print it. */
export function printedPlace({ data }: FirstCall): string {
  const [place] = data.places;
  return place === undefined ? '' : `${place.name} ${place.latitude} ${place.longitude}`;
}

function filledTarget(values: ExampleValues): string {
  return templateOf(routeOf(OPERATION_ID)).replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? '').replaceAll("'", '%27'),
  );
}
