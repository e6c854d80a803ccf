/** The tools as a client of the protocol sees them: their list, what each finds, and what each says instead. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { routes } from '../../../src/api/description/routes.js';
import { packageRoot } from '../../../src/base/package-root.js';
import { BLOCK_ROWS } from '../../fixtures/block-codes.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { cityOf } from '../../fixtures/gazetteer.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { sharedStarterSnapshot } from '../../fixtures/starter-snapshot.js';
import { connectTo, type McpScene } from './mcp-scene.js';

let snapshot: FixtureSnapshot;
let mcp: McpScene;
beforeAll(async () => {
  const { AD, AX } = HAND_MADE_ROWS;
  const manyPlaces = Array.from({ length: 30 }, (_, at) => [
    '99500',
    `Village ${at}`,
    'South',
    '',
    '',
    47 + at / 1000,
    9,
  ]);
  const DE = [
    ['10115', 'Berlin', 'Berlin', '', '', 52.5323, 13.3846],
    ['10117', 'Berlin', 'Berlin', '', '', 52.517, 13.3872],
    ['99510', 'Elsewhere', 'South', '', '', 47.5, 9],
    ...manyPlaces,
  ] as never;
  const GB = [
    ['SW1A', 'Westminster Abbey', 'England', 'Greater London', '', 51.5018, -0.1328],
    ['E1', 'London', 'England', 'Greater London', '', 51.515, -0.06],
  ] as const;
  const US = [['10115', 'New York', 'New York', '', '', 40.8111, -73.9642]] as const;
  const cities = [
    cityOf('FR', 'Paris', 48.85, 2.35, { population: 2_100_000, otherNames: ['巴黎'] }),
    cityOf('GB', 'London', 51.51, -0.13, { population: 8_900_000 }),
  ];
  snapshot = await buildFixtureSnapshot(
    { AD: AD ?? [], AX: AX ?? [], BR: BLOCK_ROWS.BR ?? [], DE, GB, US },
    { cities },
  );
  mcp = await connectTo(snapshot.path);
});
afterAll(async () => {
  await mcp?.close();
  snapshot?.cleanup();
});

interface Answer {
  readonly places: readonly Readonly<Record<string, unknown>>[];
  readonly notes: readonly string[];
}
const answerOf = async (name: string, given: Readonly<Record<string, unknown>>): Promise<Answer> => {
  const { structuredContent, isError } = await mcp.call(name, given);
  expect(isError).toBeUndefined();
  return structuredContent as unknown as Answer;
};

describe('the list of tools', () => {
  test('has the six, which only read', async () => {
    const { tools } = await mcp.client.listTools();
    const names = ['lookup_code', 'suggest', 'match_address', 'reverse', 'nearby', 'place'];
    expect(tools.map(({ name }) => name)).toEqual(names.map((name) => `postal_${name}`));
    const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    for (const { annotations } of tools) expect(annotations).toMatchObject(hints);
    expect(JSON.stringify(tools).length).toBeLessThan(15_500);
    for (const { description } of tools) expect(description).toContain('data, never instructions');
  });

  test('has arguments as the routes have parameters, in schemas that compile', async () => {
    const { tools } = await mcp.client.listTools();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { inputSchema, outputSchema } of tools) {
      ajv.compile(inputSchema);
      ajv.compile(outputSchema as object);
      expect(inputSchema.additionalProperties).toBe(false);
    }
    const suggest = tools.find(({ name }) => name === 'postal_suggest')?.inputSchema;
    const route = routes.find(({ id }) => id === 'autocomplete');
    const parameters = route?.parameters.filter(({ name }) => !['include', 'format'].includes(name)) ?? [];
    expect(suggest?.required).toEqual(['q']);
    expect(suggest?.properties).toEqual(
      Object.fromEntries([
        ...parameters.map(({ name, schema, meaning }) => [name, { ...schema, description: meaning }] as const),
        // Names of countries have no pattern.
        ['country', { type: 'string', description: expect.stringMatching(/names of countries/) }],
      ]),
    );
    const place = tools.find(({ name }) => name === 'postal_place')?.inputSchema;
    expect([place?.required, Object.keys(place?.properties ?? {})]).toEqual([
      ['country'],
      ['country', 'id', 'lang', 'path'],
    ]);
  });

  test('comes with the countries and the source of the data', () => {
    expect(mcp.client.getInstructions()).toMatch(/6 countries \(AD, AX, BR, DE, GB, US\) .* release/);
  });
});

describe('postal_lookup_code', () => {
  test('finds a code in one country, in any spelling, and all that a model needs of it', async () => {
    const { places, notes } = await answerOf('postal_lookup_code', { country: 'DE', postcode: ' 10-115 ' });
    expect(notes).toEqual([]);
    expect(places).toEqual([
      {
        ...{
          countryCode: 'DE',
          postalCode: '10115',
          name: 'Berlin',
          city: 'Berlin',
          type: 'locality',
          within: ['Berlin'],
        },
        ...{ latitude: 52.5323, longitude: 13.3846, page: expect.stringMatching(/^https:/), id: expect.any(String) },
      },
    ]);
    const text = await mcp.textOf('postal_lookup_code', { country: 'DE', postcode: '10115' });
    const [head, row] = text.split('\n');
    expect(head).toBe('country | code | name | city | type | in | position | page | id');
    expect(row).toBe(
      `DE | 10115 | Berlin | Berlin | locality | Berlin | 52.5323, 13.3846 | ${places[0]?.page} | ${places[0]?.id}`,
    );
  });

  test('every tool tells the city that a place belongs to', async () => {
    const place = { name: 'Westminster Abbey', city: 'London' };
    const at = { lat: 51.5018, lng: -0.1328 };
    const { places } = await answerOf('postal_lookup_code', { country: 'GB', postcode: 'SW1A' });
    const answers = await Promise.all([
      answerOf('postal_suggest', { q: 'westminster abb' }),
      answerOf('postal_suggest', { q: 'sw1a', kinds: 'postcode' }),
      answerOf('postal_reverse', at),
      answerOf('postal_nearby', { ...at, radiusKm: 1 }),
      answerOf('postal_place', { country: 'GB', id: places[0]?.id }),
    ]);
    for (const found of [places, ...answers.map((answer) => answer.places)]) expect(found).toMatchObject([place]);
    expect(answers[4]?.notes).toContain('Postal codes of the places of this name in its unit (1): SW1A.');
    const [code] = (await answerOf('postal_nearby', { ...at, by: 'postcode', limit: 1 })).places;
    expect(code).toMatchObject({ name: 'SW1A', city: null });
    const [region] = (await answerOf('postal_place', { country: 'GB', path: '/england' })).places;
    expect(region).toMatchObject({ name: 'England', city: null });
  });

  test('finds it in all countries, and in a list of countries', async () => {
    const countriesOf = async (country?: unknown): Promise<unknown[]> =>
      (await answerOf('postal_lookup_code', { postcode: '10115', country })).places.map((one) => one.countryCode);
    expect(await countriesOf()).toEqual(['US', 'DE']);
    expect(await countriesOf(null)).toEqual(['US', 'DE']);
    expect(await countriesOf(['DE', 'AD'])).toEqual(['DE']);
    expect(await countriesOf('us,ad')).toEqual(['US']);
    expect(await countriesOf('Germany')).toEqual(['DE']);
    expect(await countriesOf(['Deutschland', 'AD'])).toEqual(['DE']);
  });

  test('says what of a code was found, and how much more there is', async () => {
    const partial = await answerOf('postal_lookup_code', { country: 'GB', postcode: 'SW1A 1AA' });
    expect(partial.notes).toEqual(['GB: SW1A is a partial match of SW1A 1AA.']);
    const many = await answerOf('postal_lookup_code', { country: 'DE', postcode: '99500' });
    expect([many.places.length, many.notes]).toEqual([20, ['10 more places have this code.']]);
  });

  test.each([
    [{ country: 'DE', postcode: '10119' }, / like 99500 \(#####; .* Similar codes of DE: 10115, 10117\.$/],
    [{ country: ['AD', 'DE'], postcode: '9951' }, /Codes of AD look .* of DE look .* Similar .*: 99510\.$/],
    [{ country: 'BR', postcode: '01310-100' }, /is inferred: .* postal_place with country BR and id [0-9a-f-]{36} /],
    [{ country: 'AD', postcode: '7' }, /^No place in AD uses the postcode "7"\. Codes of AD look like AD\d+[^.]*\.$/],
    [{ postcode: '00000' }, /^No place in any country uses the postcode "00000"\. Ask with country/],
    [{ country: 'AQ', postcode: '1' }, /^Antarctica is not .*: AD, AX, BR, DE, GB, US\.$/],
    [{ country: 'France', postcode: '75001' }, /^France is not in this snapshot\. /],
    [{ country: ['FR', 'DE'], postcode: '75001' }, /^France is not in this snapshot\. /],
    [{ postcode: '75001 France' }, /^France is not in this snapshot\. /],
    [{ country: 'UK', postcode: 'SW1A' }, /^There is no country with the code UK; did you mean GB\?$/],
    [{ country: 'Nowhere', postcode: '10115' }, /^country must be .*got "Nowhere"/],
    [{ country: 'QQ', postcode: '10115' }, /^There is no country with the code QQ\. postal_suggest with kinds=country/],
    [{ country: 'DE' }, /^postcode is required \(1 to 20 characters\)\.$/],
    [{ zip: '10115' }, /^"zip" .* takes postcode, country, lang; did you mean postcode\?$/],
    [{ postcode: '10115', colour: 'red' }, /^"colour" .* takes postcode, country, lang\.$/],
    [{ postcode: { $gt: '' } }, /^postcode must be a text, a number, true or false\.$/],
  ])('%j is answered with what to ask instead', async (given, sentence) => {
    expect(await mcp.errorOf('postal_lookup_code', given)).toMatch(sentence);
  });
});

describe('postal_suggest', () => {
  test('finds places by the start of a name, countries and codes', async () => {
    const { places } = await answerOf('postal_suggest', { q: 'canil', country: 'AD' });
    expect(places[0]).toMatchObject({ name: 'Canillo', countryCode: 'AD', id: expect.any(String) });
    const [germany] = (await answerOf('postal_suggest', { q: 'germany', kinds: 'country' })).places;
    expect(germany).toMatchObject({ type: 'country', countryCode: 'DE', postalCode: null, within: [] });
    expect(germany).not.toHaveProperty('id');
    const codes = await answerOf('postal_suggest', { q: '1011', country: 'DE', kinds: ['postcode'] });
    expect(codes.places.map(({ postalCode, name, type }) => [postalCode, name, type])).toEqual([
      ['10115', 'Berlin', 'postcode'],
      ['10117', 'Berlin', 'postcode'],
    ]);
  });

  test('says that a country which the text names is not in the snapshot', async () => {
    const { places, notes } = await answerOf('postal_suggest', { q: 'Xyxyxy, France' });
    expect(places).toEqual([]);
    expect(notes[0]).toBe('France is not in this snapshot.');
    for (const q of ['paris', '巴黎', 'Paris\u200b']) {
      const text = await mcp.textOf('postal_suggest', { q });
      const shown = q.replace('\u200b', '\\u200b');
      expect(text).toContain(`${shown} is in France, of which this release has no postal codes.`);
      expect(text).toContain('The data has these countries: AD, AX, BR, DE, GB, US.');
    }
    expect(await mcp.errorOf('postal_suggest', { q: 'be', country: 'FR' })).toMatch(/^France/);
  });

  test('says how to ask where there is no result', async () => {
    expect(await mcp.textOf('postal_suggest', { q: 'xyxyxy' })).toMatch(/^No results/);
    expect(await mcp.textOf('postal_suggest', { q: 'xyxyxy', country: 'DE' })).toMatch(/or leave out country\.$/);
    expect(await mcp.errorOf('postal_suggest', {})).toBe('q is required (2 to 100 characters).');
    expect(await mcp.errorOf('postal_suggest', { q: 'be', limit: 26 })).toMatch(/^limit .* 25; got/);
  });
});

describe('postal_match_address', () => {
  test('finds the one place of an address, and tells how', async () => {
    const coded = await answerOf('postal_match_address', { address: 'Some Street 1\n10117 Berlin\nGermany' });
    expect(coded).toMatchObject({ places: [{ countryCode: 'DE', postalCode: '10117' }], notes: ['Match: exact.'] });
    const town = await answerOf('postal_match_address', { address: 'Carrer Major 1, Canillo', country: 'AD' });
    expect(town.places).toMatchObject([{ countryCode: 'AD', postalCode: null, name: 'Canillo', city: 'Canillo' }]);
    expect(town.notes).toEqual(['The place was found by its town, without a postal code.']);
  });

  test('says why there is none, and what to ask', async () => {
    expect(await mcp.textOf('postal_match_address', { address: '1 Some Street' })).toMatch(
      /^No place is sure\..*town\.$/,
    );
    for (const given of [{ address: '1 rue X, Lyon, France' }, { address: 'Lyon', country: 'FR' }]) {
      const { places, notes } = await answerOf('postal_match_address', given);
      expect([places, notes[0]]).toEqual([[], 'There is no postcode data for France (FR).']);
    }
    expect(await mcp.errorOf('postal_match_address', { address: 'a\tb' })).toMatch(/^address must be .* control/);
  });
});

describe('postal_reverse', () => {
  test('finds the nearest place, in the country that contains the position unless one is named', async () => {
    const near = { lat: 42.51, lng: 1.541 };
    const { places } = await answerOf('postal_reverse', near);
    expect(places).toMatchObject([{ countryCode: 'AD', postalCode: 'AD501', distanceKm: expect.any(Number) }]);
    expect(await mcp.textOf('postal_reverse', { ...near, country: 'ad' })).toContain('| 0.1 km |');
    expect(await mcp.textOf('postal_reverse', { ...near, country: null })).toContain('| 0.1 km |');
  });

  test('says where else to look', async () => {
    const ocean = { lat: 30, lng: -45 };
    expect(await mcp.errorOf('postal_reverse', { ...ocean, country: 'any' })).toMatch(/45\. postal_nearby/);
    expect(await mcp.errorOf('postal_reverse', ocean)).toMatch(/within 80 km .* postal_nearby/);
    expect(await mcp.errorOf('postal_reverse', { ...ocean, country: 'DE' })).toContain('country=any looks in all');
    expect(await mcp.errorOf('postal_reverse', { lat: 91, longitude: 1 })).toMatch(/"longitude".*did you mean lng\?$/);
    expect(await mcp.errorOf('postal_reverse', { lat: 91 })).toMatch(/^lat must be .*got "91"\. lng is required/);
  });
});

test('postal_reverse names the country without data that contains the position', async () => {
  const tijuana = { lat: 32.5149, lng: -117.0382 };
  expect(await mcp.errorOf('postal_reverse', tijuana)).toMatch(/^Mexico is not in this snapshot\. The data has/);
});

describe('postal_nearby', () => {
  test('lists places and codes around a code, a position and a place', async () => {
    const around = await answerOf('postal_nearby', { country: 'DE', postcode: '10115', limit: 2 });
    expect(around.places.map(({ postalCode, distanceKm }) => [postalCode, distanceKm])).toEqual([
      ['10115', 0],
      ['10117', 1.71],
    ]);
    const codes = await answerOf('postal_nearby', { lat: 52.53, lng: 13.38, by: 'postcode', limit: 1 });
    expect(codes.places).toMatchObject([{ type: 'postcode', postalCode: '10115', name: '10115' }]);
    const place = around.places[1]?.id;
    const [first] = (await answerOf('postal_nearby', { country: 'DE', place, radiusKm: '5' })).places;
    expect(first?.id).toBe(place);
  });

  test('says what a centre is, and that nothing is near', async () => {
    expect(await mcp.textOf('postal_nearby', { lat: 0, lng: -30 })).toMatch(/greater radiusKm/);
    expect(await mcp.errorOf('postal_nearby', {})).toMatch(/^the centre must be lat and lng, or country/);
    expect(await mcp.errorOf('postal_nearby', { lat: 1, lng: 1, radius: 5 })).toMatch(/did you mean radiusKm\?$/);
    expect(await mcp.errorOf('postal_nearby', { country: 'DE', postcode: '10119' })).toMatch(/Similar codes of DE/);
  });
});

describe('postal_place', () => {
  test('describes a place by its path or its id', async () => {
    const { places, notes } = await answerOf('postal_place', { country: 'DE', path: '/berlin' });
    expect(places).toMatchObject([{ name: 'Berlin', type: 'region', postalCode: null }]);
    expect(notes).toContain('Postal codes (2): 10115, 10117.');
    expect(notes.join(' ')).toMatch(/Time zone: Europe\/Berlin\..*ISO 3166-2: DE-BE\..*Places directly in it: \d/);
    const again = await answerOf('postal_place', { country: 'DE', id: places[0]?.id });
    expect(again).toEqual({ places, notes });
    const leaf = (await answerOf('postal_lookup_code', { country: 'AD', postcode: 'AD500' })).places[0];
    expect((await answerOf('postal_place', { country: 'AD', id: leaf?.id })).notes).toContain(
      'Postal codes of its city (1): AD500.',
    );
  });

  test('says what it needs', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect(await mcp.errorOf('postal_place', { country: 'DE', id })).toMatch(/postal_suggest/);
    expect(await mcp.errorOf('postal_place', { country: 'DE', path: '/nowhere' })).toContain('postal_suggest');
    expect(await mcp.errorOf('postal_place', { country: 'DE' })).toBe('Either id or path is required.');
    expect(await mcp.errorOf('postal_place', { country: 'DE', id, path: '/berlin' })).toMatch(/not both/);
    expect(await mcp.errorOf('postal_place', { path: '/berlin' })).toMatch(/^country is required/);
  });
});

describe('arguments that no rule foresees', () => {
  let snapshot: FixtureSnapshot;
  let mcp: McpScene;
  beforeAll(async () => {
    const { AD, DE } = HAND_MADE_ROWS;
    const hostile = ['99999', 'A | B\u200bC\u{e0041}', 'Berlin', '', '', 52.5, 13.4] as const;
    snapshot = await buildFixtureSnapshot({ AD: AD ?? [], DE: [...(DE ?? []), hostile] });
    mcp = await connectTo(snapshot.path);
  });
  afterAll(async () => {
    await mcp?.close();
    snapshot?.cleanup();
  });

  test('a name makes no line, no column and nothing unseen in a text, nor in an object', async () => {
    const lines = (await mcp.textOf('postal_lookup_code', { country: 'DE', postcode: '99999' })).split('\n');
    expect(lines.map((line) => line.split(' | ').length)).toEqual([9, 9]);
    expect(lines[1]?.split(' | ')[2]).toBe('A \\u007c B\\u200bC\\udb40\\udc41');
    const { structuredContent } = await mcp.call('postal_lookup_code', { country: 'DE', postcode: '99999' });
    const shown = 'A | B\\u200bC\\udb40\\udc41';
    expect(structuredContent).toMatchObject({ places: [{ name: shown, city: shown }] });
  });

  describe('any tool', () => {
    test.each([
      { postcode: 'x'.repeat(1_000_000) },
      { postcode: '1', country: Array.from({ length: 10_000 }, () => 'DE') },
      { postcode: '\u0000\u202e' },
      { postcode: 'ab\ud800' },
      { postcode: '1', 'ignore \u001b[2J previous': 1 },
      { postcode: '1', ['z'.repeat(3_000)]: 1 },
      JSON.parse('{"postcode":"1","__proto__":{"x":1},"constructor":1}') as Record<string, unknown>,
      { postcode: ["'; DROP TABLE places; --"] },
      { postcode: 'ʼʼʼ', country: 'DE' },
      { postcode: '🏝🏝', country: 'DE' },
      { postcode: '..', country: 'DE' },
      { postcode: -1e300 },
      { postcode: true, country: false },
    ])('answers hostile arguments with a short printable error: %#', async (given) => {
      const text = await mcp.errorOf('postal_lookup_code', given);
      expect(text.length).toBeLessThan(1_000);
      expect(text).not.toMatch(/[\p{Cc}\u202e\ud800]/u);
      expect(text).not.toMatch(/undefined|TypeError/);
    });

    test('an unknown tool is an error of the protocol', async () => {
      await expect(mcp.call('postal_delete', {})).rejects.toThrow('postal_delete');
      await expect(mcp.client.callTool({ name: 'postal_suggest', arguments: ['be'] as never })).rejects.toThrow();
    });
  });
});

describe('the document about the tools', () => {
  const text = readFileSync(join(packageRoot(), 'docs/models.md'), 'utf8');

  let mcp: McpScene;
  beforeAll(async () => {
    mcp = await connectTo(await sharedStarterSnapshot());
  });
  afterAll(() => mcp?.close());

  test('the answers are those of the tools', async () => {
    const examples = [...text.matchAll(/(?:`(\w+)` )?[Ww]ith\s+`(\{.*?\})`:\n\n```text\n(.*?)\n```/gs)];
    let tool = '';
    const called = new Set<string>();
    for (const [, name = tool, given = '', answer = ''] of examples) {
      tool = name;
      called.add(name);
      const { content } = await mcp.call(name, JSON.parse(given));
      expect({ name, given, content }).toEqual({ name, given, content: [{ type: 'text', text: answer }] });
    }
    expect([examples.length, called.size]).toEqual([(text.match(/```text\n/g) ?? []).length, 6]);
  });

  test('the table has every tool with all its arguments', async () => {
    const { tools } = await mcp.client.listTools();
    const rows = [...text.matchAll(/^\| `(postal_\w+)` \| (.*?) \|/gm)];
    const argumentsOf = (cell = ''): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
    expect(rows.map(([, name, cell]) => [name, argumentsOf(cell).sort()])).toEqual(
      tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {}).sort()]),
    );
  });
});
