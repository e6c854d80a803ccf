/**
 * The library against the server over a whole release: every query of bench:answers has the same answer, byte for byte,
 * or is not found in both.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ENVELOPE_START } from '../../src/api/http/render-response.js';
import { open, type Places } from '../../src/library/index.js';
import { type ServerProcess, startServer } from '../bench/programs.mjs';
import { listLookups } from '../fixtures/lookups.mjs';
import { buildsFolder, count, Failures, openRelease, printFigures, snapshotFile } from './world.js';

/** Requests that wait for their turn on the connection. */
const AT_ONCE = 50;

/** An input of a use case: each has some of these. */
type Input = Readonly<Record<'country' | 'id' | 'postcode' | 'query', string>> &
  Readonly<Record<'lat' | 'lng' | 'page' | 'pageSize' | 'limit', number>> & {
    readonly hasPostcodes: boolean;
    readonly segments: readonly string[];
  };
interface Query {
  /** The answer of the library. */
  readonly find: () => string | undefined;
  /** The path of the same request, and its query. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, unknown>>;
}

function queriesOf({ json }: Places): Readonly<Record<string, (input: Input) => Query>> {
  return {
    listCountries: (query) => ({ find: () => json.countries(query), path: ['countries'], query }),
    getCountry: ({ country }) => ({ find: () => json.country(country), path: ['countries', country], query: {} }),
    listPlaces: ({ country, ...query }) => ({
      find: () => json.places(country, query),
      path: ['countries', country, 'places'],
      query,
    }),
    getPlace: ({ country, id }) => ({
      find: () => json.place(country, id),
      path: ['countries', country, 'places', id],
      query: {},
    }),
    listChildren: ({ country, id, ...query }) => ({
      find: () => json.children(country, id, query),
      path: ['countries', country, 'places', id, 'children'],
      query,
    }),
    resolvePath: ({ country, segments }) => {
      const path = `/${segments.join('/')}`;
      return { find: () => json.resolve(country, path), path: ['countries', country, 'resolve'], query: { path } };
    },
    findPostcode: ({ country, postcode }) => ({
      find: () => json.postcode(country, postcode),
      path: ['countries', country, 'postcodes', postcode],
      query: {},
    }),
    autocomplete: ({ query: q, ...options }) => ({
      find: () => json.suggest(q, options),
      path: ['autocomplete'],
      query: { q, ...options },
    }),
    reverse: ({ lat, lng, country }) => ({
      find: () => json.reverse(lat, lng, { country }),
      path: ['reverse'],
      query: { lat, lng, country },
    }),
  };
}

/** A number without an exponent: the API takes none. */
function textOf(value: unknown): string {
  return typeof value === 'number' && Math.abs(value) < 1e-6 ? value.toFixed(20) : String(value);
}

function targetOf({ path, query }: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`);
  return `/v1/${path.map(encodeURIComponent).join('/')}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}

/** The data of the server's answer; undefined for 404. */
async function ask(server: ServerProcess, target: string): Promise<string | undefined> {
  const { status, body } = await server.get(target);
  if (status === 404) return undefined;
  const text = body.toString();
  if (status !== 200 || !text.startsWith(ENVELOPE_START)) throw new Error(`${status} ${target}: ${text.slice(0, 200)}`);
  return text.slice(ENVELOPE_START.length, text.lastIndexOf(',"metadata":'));
}

test('every query of bench:answers has the same answer of the library and of the server', async () => {
  const folder = join(buildsFolder(), 'library');
  mkdirSync(folder);
  const places = await open(snapshotFile('2026-03'));
  const server = await startServer({ snapshot: snapshotFile('2026-03'), store: join(folder, 'keys') });
  const failures = new Failures();
  const tally = { found: 0, absent: 0 };
  const compare = async (query: Query): Promise<void> => {
    const target = targetOf(query);
    const [own, served] = [query.find(), await ask(server, target)];
    if (own !== served) failures.add(`${target}: ${own?.slice(0, 100)} but ${served?.slice(0, 100)}`);
    tally[own === undefined ? 'absent' : 'found']++;
  };
  try {
    const queryOf = queriesOf(places);
    for (const { useCase, inputs } of listLookups(openRelease('2026-03'))) {
      const toQuery = queryOf[useCase];
      if (toQuery === undefined) throw new Error(`${useCase} has no method of the library`);
      for (let start = 0; start < inputs.length; start += AT_ONCE) {
        const batch = inputs.slice(start, start + AT_ONCE);
        await Promise.all(batch.map((input) => compare(toQuery(input as unknown as Input))));
      }
    }
  } finally {
    await Promise.all([server.stop(), places.close()]);
  }
  printFigures(`library: ${count(tally.found)} answers and ${count(tally.absent)} absent ones are those of the server`);
  expect(failures.shown).toEqual([]);
  expect(tally.found).toBeGreaterThan(100_000);
  expect(tally.absent).toBeGreaterThan(1_000);
});
