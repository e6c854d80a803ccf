/** Examples of the reference: the description's own where the snapshot has them, else others that it has. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { readDocs } from '../../src/site/docs/docs-library.js';
import { type ExampleCall, exampleCall } from '../../src/site/docs/example-calls.js';
import type { Operation } from '../../src/site/docs/reference.js';
import { exampleDataOf } from '../api/described-answers.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { KNOWN_CHANGES } from '../fixtures/known-changes.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';

const operations = readDocs().reference.operations.filter(({ isKeyed, body }) => isKeyed && body === undefined);

function operationWith(id: string): Operation {
  return operations.find((operation) => operation.id === id) as Operation;
}

function describedValues({ parameters }: Operation): ExampleCall['values'] {
  return Object.fromEntries(
    parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
  );
}

test('of the starter dataset they are those of the description', async () => {
  const starter = openSnapshot(await sharedStarterSnapshot());
  for (const operation of operations) {
    const { values, data } = exampleCall(starter, operation);
    expect({ id: operation.id, values }).toEqual({ id: operation.id, values: describedValues(operation) });
    // The description has the addresses of another site.
    expect(JSON.stringify(data).length).toBeGreaterThan(50);
    expect(withoutUrls(data)).toEqual(withoutUrls(exampleDataOf(operation.id)));
  }
});

function withoutUrls(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data, (name, value) => (name === 'url' ? '' : value)));
}

describe('where the snapshot has none of the starter places', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    const opened = await openFixture({
      // A country whose places are in no unit, and one with units.
      GI: [['GX11 1AA', 'Gibraltar', '', '', '', 36.14, -5.35]],
      LI: [
        ['9490', 'Vaduz', 'Oberland', 'OL', '', 47.14, 9.52],
        ['9491', 'Ruggell', 'Unterland', 'UL', '', 47.24, 9.52],
      ],
    });
    snapshot = { ...opened, changes: KNOWN_CHANGES };
  });

  test('each call finds something, with the same parameters', () => {
    for (const operation of operations) {
      const { values, data } = exampleCall(snapshot, operation);
      expect({ id: operation.id, names: Object.keys(values) }).toEqual({
        id: operation.id,
        names: Object.keys(describedValues(operation)),
      });
      expect({ id: operation.id, country: values.country ?? 'GI' }).toMatchObject({
        country: expect.stringMatching(/^(?:DE|GI|LI)$/),
      });
      const text = JSON.stringify(data);
      expect({ id: operation.id, text }).not.toMatchObject({
        text: expect.stringMatching(/^\[\]$|"items":\[\]|"none"/),
      });
    }
  });

  test('code, name, position and id are those of one place', () => {
    expect(exampleCall(snapshot, operationWith('findPostcode'))).toMatchObject({
      values: { country: 'GI', postcode: 'GX11 1AA' },
      data: { countryCode: 'GI', places: [{ name: 'Gibraltar' }] },
    });
    expect(exampleCall(snapshot, operationWith('autocomplete'))).toMatchObject({
      values: { q: 'Gibraltar', country: 'GI' },
      data: [{ name: 'Gibraltar' }],
    });
    expect(exampleCall(snapshot, operationWith('reverse'))).toMatchObject({
      values: { lat: 36.14, lng: -5.35, country: 'GI' },
      data: { distanceKm: 0 },
    });
  });

  test('a distance is that between the first and the last code of the country that has two', async () => {
    const two = await openFixture({
      LI: [
        ['9490', 'Vaduz', 'Oberland', 'OL', '', 47.14, 9.52],
        ['9491', 'Ruggell', 'Unterland', 'UL', '', 47.24, 9.52],
      ],
    });
    const { values, data } = exampleCall(two, operationWith('distance'));
    expect([values.from, values.to]).toEqual(['LI:9490', 'LI:9491']);
    expect(data).toMatchObject({ distanceKm: expect.closeTo(11.12, 1) });
  });

  test('children are those of a unit, in the first country that has one', () => {
    expect(exampleCall(snapshot, operationWith('listChildren'))).toMatchObject({
      values: { country: 'LI' },
      data: { items: [{ name: 'Vaduz' }] },
    });
  });
});

test('where nothing has children the empty page is shown, and where no country has data none is', async () => {
  const flat = await openFixture({ GI: [['GX11 1AA', 'Gibraltar', '', '', '', 36.14, -5.35]] });
  expect(exampleCall(flat, operationWith('listChildren'))).toMatchObject({
    values: { country: 'GI' },
    data: { items: [] },
  });
  const countries = flat.countries.map((country) => ({ ...country, structures: undefined }));
  const empty: Snapshot = { ...flat, countries, countryByCode: new Map(countries.map((one) => [one.entry.code, one])) };
  expect(exampleCall(empty, operationWith('findPostcode')).data).toBeUndefined();
  expect(exampleCall(empty, operationWith('getCountry')).data).toMatchObject({ code: 'DE' });
});

test('the release is that of the snapshot', async () => {
  const snapshot = await openFixture({ GI: [['GX11 1AA', 'Gibraltar', '', '', '', 36.14, -5.35]] });
  const release = readDocs().reference.operations.find(({ id }) => id === 'getRelease') as Operation;
  expect(exampleCall(snapshot, release).data).toMatchObject({ name: snapshot.release, countries: [{ code: 'GI' }] });
});
