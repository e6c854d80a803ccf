/**
 * docs/openapi.json is what the code gives, is OpenAPI, and is true: its examples are what the server answers, every code
 * it names can be met, and what it allows to be asked is answered as it says. The harness holds every answer here, as in
 * all tests of the server, against it.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { exampleAnswererOf } from '../../generate/example-answers.js';
import { generateFiles } from '../../generate/generated-files.js';
import { type OperationObject, type ParameterObject, resolveInDocument } from '../../generate/openapi-document.js';
import { type ErrorCode, statusOfCode } from '../../src/api/description/error-codes.js';
import type { JsonSchema } from '../../src/api/description/json-schema.js';
import { packageRoot } from '../../src/base/package-root.js';
import { service } from '../../src/core/answers/service.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { document, findFaults, operations, operationWith, type SentAnswer, targetOf } from './described-answers.js';
import { getRaw, startServer, type TestServer } from './harness.js';

let snapshot: Snapshot;
let running: TestServer;
beforeAll(async () => {
  snapshot = openSnapshot(await sharedStarterSnapshot());
  running = await startServer(undefined, undefined, service);
  running.snapshot = snapshot;
});
afterAll(async () => {
  await running?.close();
});

/** All but the bulk request, which test/api/bulk.test.ts is about. */
const keyed = operations.filter(({ security, method }) => security.length > 0 && method === 'GET');

async function ask(target: string): Promise<{ status: number; body: { data?: unknown; error?: { code: string } } }> {
  const { status, body } = await getRaw(running.port, target);
  // What is asked with any parameters may be answered as CSV, which the check of every answer reads.
  return { status, body: body.startsWith('{') ? JSON.parse(body) : {} };
}

test('the generated files are what the code gives: else run npm run generate:openapi', async () => {
  const files = await generateFiles(exampleAnswererOf(snapshot));
  expect(files.size).toBeGreaterThan(0);
  for (const [path, text] of files) {
    // Compared as a whole, shown by its first line that differs.
    const committed = readFileSync(join(packageRoot(), path), 'utf8').split('\n');
    const lines = text.split('\n');
    const at = lines.findIndex((line, index) => line !== committed[index]);
    expect({ path, line: at + 1, text: committed[at] }).toEqual({ path, line: at + 1, text: lines[at] });
    expect({ path, lines: committed.length }).toEqual({ path, lines: lines.length });
  }
});

test('it is OpenAPI 3.1', async () => {
  const result = await new Validator().validate({ ...structuredClone(document) });
  expect(result).toEqual({ valid: true });
});

test.each(keyed)('the example of $operationId is what the server answers', async (operation) => {
  const values = Object.fromEntries(operation.parameters.map(({ name, example }) => [name, example]));
  const { status, body } = await ask(targetOf(operation, values));
  const { content } = resolveInDocument(document, operation.responses[200] as never);
  const example = (content as Record<string, { example: object }>)['application/json']?.example;
  expect(status).toBe(200);
  expect({ ...body, metadata: {} }).toEqual({ ...example, metadata: {} });
});

describe('errors', () => {
  /** Section 4 of the interface specification, rule 8. */
  const contract: Record<string, ErrorCode[]> = {
    listCountries: [],
    getCountry: ['COUNTRY_NOT_FOUND'],
    listPlaces: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA'],
    getPlace: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'PLACE_NOT_FOUND'],
    listChildren: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'PLACE_NOT_FOUND'],
    resolvePath: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'PLACE_NOT_FOUND'],
    findPostcode: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'POSTCODE_NOT_FOUND'],
    autocomplete: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA'],
    reverse: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'NO_NEARBY_PLACE'],
  };
  /** Of the endpoints beside the contract's. */
  const own: Record<string, ErrorCode[]> = {
    nearby: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'PLACE_NOT_FOUND', 'POSTCODE_NOT_FOUND'],
    distance: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'PLACE_NOT_FOUND', 'POSTCODE_NOT_FOUND'],
    listPostcodes: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'PLACE_NOT_FOUND'],
    checkPostcode: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA'],
    findPostcodes: ['COUNTRY_NOT_FOUND', 'NO_POSTCODE_DATA', 'POSTCODE_NOT_FOUND'],
    match: ['COUNTRY_NOT_FOUND'],
    listChanges: ['COUNTRY_NOT_FOUND', 'RELEASE_NOT_FOUND'],
  };
  const expected = { ...contract, ...own };
  /** What parameters make of the example a request that ends with the code. */
  const causes: Partial<Record<ErrorCode, Record<string, string>>> = {
    COUNTRY_NOT_FOUND: { country: 'QQ' },
    NO_POSTCODE_DATA: { country: 'JP' },
    PLACE_NOT_FOUND: { id: '00000000-0000-5000-8000-000000000000', path: '/nowhere' },
    POSTCODE_NOT_FOUND: { postcode: 'NONE' },
    NO_NEARBY_PLACE: { lat: '-60', lng: '-120' },
    RELEASE_NOT_FOUND: { since: '2000-01' },
  };
  const NOWHERE = '00000000-0000-5000-8000-000000000000';
  /** Those that differ. */
  const causesOf: Record<string, Partial<Record<ErrorCode, Record<string, string | undefined>>>> = {
    nearby: {
      COUNTRY_NOT_FOUND: { countries: 'DE,QQ' },
      NO_POSTCODE_DATA: { countries: 'DE,JP' },
      PLACE_NOT_FOUND: { lat: undefined, lng: undefined, country: 'DE', place: NOWHERE },
      POSTCODE_NOT_FOUND: { lat: undefined, lng: undefined, country: 'DE', postcode: 'NONE' },
    },
    distance: {
      COUNTRY_NOT_FOUND: { to: 'QQ:10115' },
      NO_POSTCODE_DATA: { from: 'JP:100' },
      PLACE_NOT_FOUND: { from: `DE:${NOWHERE}` },
      POSTCODE_NOT_FOUND: { to: 'DE:NONE' },
    },
  };

  const codesOf = (operationId: string, status: number): string[] => {
    const reference = operationWith(operationId).responses[status];
    if (reference === undefined) return [];
    const { content } = resolveInDocument<{ content?: object }>(document, reference);
    const { schema } = Object.values(content ?? {})[0] as { schema: JsonSchema };
    const { properties } =
      (schema.properties as Record<string, { properties: Record<string, JsonSchema> }>).error ?? {};
    return properties?.code?.enum as string[];
  };

  test('those of each operation are the contract’s, or those of the operations beyond it', () => {
    expect(Object.fromEntries(keyed.map(({ operationId }) => [operationId, codesOf(operationId, 404)]))).toEqual(
      expected,
    );
  });

  test('each stands under its status, and every operation has those of the key', () => {
    for (const { operationId, responses } of operations) {
      for (const status of Object.keys(responses)
        .map(Number)
        .filter((status) => status >= 400)) {
        const codes = codesOf(operationId, status);
        expect(codes.map((code) => statusOfCode[code as ErrorCode])).toEqual(codes.map(() => status));
      }
    }
    for (const { operationId } of keyed) {
      const codes = [401, 429].flatMap((status) => codesOf(operationId, status));
      expect(codes.sort()).toEqual(
        Object.keys(statusOfCode)
          .filter((code) => /^SERVICE_(API|RATE|QUOTA)/.test(code))
          .sort(),
      );
    }
  });

  test('there is none that the document does not have', () => {
    const text = JSON.stringify(document.components.responses) + JSON.stringify(document.paths);
    for (const code of Object.keys(statusOfCode)) expect([code, text.includes(`"${code}"`)]).toEqual([code, true]);
  });

  test.each(Object.entries(expected).flatMap(([id, codes]) => codes.map((code) => [id, code] as const)))(
    '%s can end with %s',
    async (operationId, code) => {
      const operation = operationWith(operationId);
      const example = Object.fromEntries(operation.parameters.map(({ name, example }) => [name, example]));
      const { status, body } = await ask(
        targetOf(operation, { ...example, ...(causesOf[operationId] ?? causes)[code] }),
      );
      expect([status, body.error?.code]).toEqual([404, code]);
    },
  );
});

describe('what the schemas of parameters allow is answered as described', () => {
  /** Texts whose length is counted after they are normalised, or that must have a letter, may be refused. */
  const mayBeRefused = [
    ...['resolvePath', 'findPostcode', 'autocomplete', 'distance', 'checkPostcode', 'findPostcodes', 'match'],
  ];
  /** The other ways to give the centre exclude a point. */
  const excluded = ['country', 'postcode', 'place'];
  const parametersOf = ({ operationId, parameters }: OperationObject): ParameterObject[] =>
    operationId !== 'nearby'
      ? [...parameters]
      : parameters
          .filter(({ name }) => !excluded.includes(name))
          .map((parameter) => ({ ...parameter, required: ['lat', 'lng'].includes(parameter.name) }));

  test.each(keyed)('$operationId', async (operation) => {
    const statuses = mayBeRefused.includes(operation.operationId) ? [200, 400, 404] : [200, 404];
    const found = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requestsOf(parametersOf(operation)), async (values) => {
        const { status } = await ask(targetOf(operation, values));
        found.add(status);
        expect(statuses).toContain(status);
      }),
      { numRuns: 75, seed: 20_261_122 },
    );
    expect(found).toContain(200);
  });
});

/** Parameters whose values have an order, with the least and the greatest value that their schemas allow. */
const bounded = keyed.flatMap((operation) =>
  operation.parameters.flatMap(({ name, schema }) =>
    typeof schema.minimum === 'number' && typeof schema.maximum === 'number'
      ? [{ operation, id: operation.operationId, name, least: schema.minimum, greatest: schema.maximum }]
      : [],
  ),
);

/** A coordinate is sent with the other one. */
const POINT = { lat: 0, lng: 0 };

test.each(bounded)('$name of $id may be from $least to $greatest', async ({ operation, name, least, greatest }) => {
  const example = Object.fromEntries(operation.parameters.map((parameter) => [parameter.name, parameter.example]));
  const statusOf = async (value: unknown) =>
    (await ask(targetOf(operation, { ...example, ...POINT, [name]: value }))).status;
  expect(bounded).toHaveLength(18);
  for (const value of [least, greatest]) expect([200, 404]).toContain(await statusOf(value));
  for (const value of [least - 1, BigInt(greatest) + 1n]) expect(await statusOf(value)).toBe(400);
});

test('every country of the starter dataset, and its first page, are as described', async () => {
  const { body } = await ask('/v1/countries');
  const countries = body.data as { code: string; hasPostcodes: boolean }[];
  expect(countries).toHaveLength(250);
  for (const { code, hasPostcodes } of countries) {
    expect((await ask(`/v1/countries/${code}`)).status).toBe(200);
    expect((await ask(`/v1/countries/${code}/places?pageSize=100`)).status).toBe(hasPostcodes ? 200 : 404);
  }
});

test('suggestions that are none name the country without data, in all formats, to scripts of every origin', async () => {
  const target = `/v1/autocomplete?q=${encodeURIComponent('東京')}`;
  const headersOf = async (url: string, method = 'GET'): Promise<[string | null, string | null]> => {
    const init = { method, headers: { 'x-api-key': 'good-key' } };
    const { headers } = await fetch(`http://127.0.0.1:${running.port}${url}`, init);
    return [headers.get('x-country-without-data'), headers.get('access-control-expose-headers')];
  };
  const [none, exposed] = await headersOf('/v1/autocomplete?q=berlin');
  expect([none, exposed?.includes('x-country')]).toEqual([null, false]);
  const named = ['JP', `${exposed}, x-country-without-data`];
  for (const format of ['json', 'geojson', 'csv']) expect(await headersOf(`${target}&format=${format}`)).toEqual(named);
  expect(await headersOf(`${target}&include=place`, 'HEAD')).toEqual(named);
  expect(await headersOf(`${target}&country=DE`)).toEqual([null, exposed]);
});

describe('the check of answers finds what is not described', () => {
  const getCountry = async (): Promise<SentAnswer> => {
    const response = await fetch(`http://127.0.0.1:${running.port}/v1/countries/LI`, {
      headers: { 'x-api-key': 'good-key' },
    });
    const { status, headers } = response;
    const body = await response.text();
    return { method: 'GET', route: '/v1/countries/:country', status, headers: Object.fromEntries(headers), body };
  };

  test.each<[string, (answer: SentAnswer) => Partial<SentAnswer>, string | undefined]>([
    ['nothing wrong', () => ({}), undefined],
    ['another status', () => ({ status: 206 }), 'is not described'],
    ['another header', ({ headers }) => ({ headers: { ...headers, 'x-new': '1' } }), 'x-new is not described'],
    ['a header less', ({ headers: { etag: _, ...headers } }) => ({ headers }), 'etag is missing'],
    ['another value', ({ headers }) => ({ headers: { ...headers, etag: 'x' } }), 'etag: data must match'],
    ['another type', ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/html' } }), 'text/html is not'],
    ['a field more', ({ body }) => ({ body: body.replace('{', '{"new":1,') }), 'unevaluated properties'],
    ['a field more in data', ({ body }) => ({ body: body.replace('"data":{', '"data":{"new":1,') }), 'unevaluated'],
    ['a field more deep inside', ({ body }) => ({ body: body.replace('"level":', '"new":1,"level":') }), 'unevaluated'],
    ['a field less', ({ body }) => ({ body: body.replace(/"url":"[^"]*",/, '') }), "must have required property 'url'"],
    ['a field of another type', ({ body }) => ({ body: body.replace('"LIE"', '1') }), 'alpha3 must be string'],
    ['no JSON', () => ({ body: 'x' }), 'is not JSON'],
  ])('%s', async (_, change, fault) => {
    const answer = await getCountry();
    const faults = findFaults({ ...answer, ...change(answer) });
    expect(faults).toEqual(fault === undefined ? [] : [expect.stringContaining(fault)]);
  });
});

/** Values of an operation's parameters by name; optional ones may be missing. */
function requestsOf(parameters: readonly ParameterObject[]): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(parameters.map((parameter) => [parameter.name, valuesOf(parameter)]));
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(values, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Record<string, unknown>>;
}

/** The example often: most of what is made at random names nothing. */
function valuesOf({ schema, example }: ParameterObject): fc.Arbitrary<unknown> {
  const values = valuesAllowedBy(schema);
  return example === undefined ? values : fc.oneof(fc.constant(example), values);
}

function valuesAllowedBy(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { type, minimum, maximum, pattern, format, const: only, anyOf, minLength = 0, maxLength } = schema;
  if (anyOf !== undefined) return fc.oneof(...(anyOf as JsonSchema[]).map(valuesAllowedBy));
  if (only !== undefined) return fc.constant(only);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (pattern !== undefined) return fc.stringMatching(new RegExp(String(pattern), 'u'));
  if (format === 'uuid') return fc.uuid();
  if (type === 'array') {
    const items = valuesAllowedBy(schema.items as JsonSchema);
    const lengths = { minLength: Number(schema.minItems), maxLength: Number(schema.maxItems) };
    return fc.array(items, lengths).map((list) => list.join());
  }
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: Number(minimum), max: Number(maximum) });
  // Without exponent, as the description wants it.
  if (type === 'number') {
    const numbers = fc.double({ min: Number(minimum), max: Number(maximum), noNaN: true });
    return numbers.map((value) => Number(value.toFixed(6)));
  }
  if (type === 'string') {
    return fc.string({ unit: 'grapheme', minLength: Number(minLength), maxLength: Number(maxLength) });
  }
  throw new Error(`no values for ${JSON.stringify(schema)}`);
}
