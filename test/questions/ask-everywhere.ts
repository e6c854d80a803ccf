/** Asks every surface each question of a table, and fails where one answers otherwise than the table. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, Questions } from './questions.js';
import { NO_DATA, NOTHING, openSurfaces, type Surfaces, type Told } from './surfaces.js';

/** Registers the tests of a table over the snapshot that `pathOf` gives. */
export function askEverywhere({ points, codes, lines }: Questions, pathOf: () => Promise<string>): void {
  let surfaces: Surfaces;
  beforeAll(async () => {
    surfaces = await openSurfaces(await pathOf());
  });
  afterAll(() => surfaces?.close());

  describe('where is this point', () => {
    test.each(points)('%d, %d', async (lat, lng, answer) => {
      const expected = toldOf(answer);
      await expectAll(surfaces.points, (ask) => ask(lat, lng), expected);
    });
  });

  describe('where is this code', () => {
    test.each(codes)('%s %s', async (...[country, code, match, city = NOTHING]) => {
      await expectAll(surfaces.codes, (ask) => ask(country, code), { match, city });
    });
  });

  describe('which place does this line mean', () => {
    test.each(lines)('%s', async (...[line, match, country, code, city = NOTHING]) => {
      await expectAll(surfaces.lines, (ask) => ask(line), { match, country, code, city });
    });
  });
}

interface Expected {
  readonly match?: string;
  readonly country?: string | undefined;
  readonly code?: string | null | undefined;
  readonly city: string;
}

function toldOf(answer: Answer): Expected {
  if (typeof answer === 'string') return { city: answer };
  const [country, city] = answer;
  return { country, city };
}

/** Holds what every surface tells against what is expected; a surface need not tell all. */
async function expectAll<Ask>(
  surfaces: Readonly<Record<string, Ask>>,
  ask: (surface: Ask) => Promise<Told>,
  expected: Expected,
): Promise<void> {
  const told: Record<string, unknown> = {};
  const wanted: Record<string, unknown> = {};
  for (const [name, surface] of Object.entries(surfaces)) {
    const answer = await ask(surface);
    told[name] = answer;
    wanted[name] = Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, expectedOf(key, value)]));
  }
  expect(told).toEqual(wanted);

  function expectedOf(key: string, value: unknown): unknown {
    const wantedValue = expected[key as keyof Expected];
    if (wantedValue === undefined) return value;
    // Surfaces that only find or don't find can't tell why.
    if (key === 'city' && wantedValue === NO_DATA && value === NOTHING) return value;
    return wantedValue;
  }
}
