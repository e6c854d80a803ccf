/** The slugs of places, which are unique among siblings, and the order of siblings. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Slugger } from '../../../build-index/tree/slugs.js';
import { slugOf } from '../../../src/core/snapshot/fold-text.js';
import { treeOf } from '../../fixtures/collected-rows.js';
import type { FixtureRow } from '../../fixtures/hand-made-release.js';

describe('slugs among siblings', () => {
  /** Without a code it is an admin unit. */
  type Sibling = readonly [name: string, postalCode?: string | undefined, type?: string];
  const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

  function assign(siblings: readonly Sibling[]): string[] {
    // The siblings before and behind must make no difference.
    const around: Sibling[] = [['Ulm', '1'], ...siblings, ['Ulm', '2']];
    const slugger = new Slugger(
      around.map(([name]) => name),
      around.map(([, postalCode]) => postalCode ?? null),
      (place) => around[place]?.[2] === 'recipient',
      (a, b) => a - b,
    );
    slugger.assign(0, 1);
    slugger.assign(1, 1 + siblings.length);
    slugger.assign(1 + siblings.length, around.length);
    expect([slugger.slugs[0], slugger.slugs.at(-1)]).toEqual(['ulm', 'ulm']);
    return slugger.slugs.slice(1, -1);
  }

  test.each([
    ['no clash', 'Ulm:1, Bonn:2', 'ulm, bonn'],
    ['the lowest code has the plain slug', 'Ulm:2, Ulm:1, Ulm:3', 'ulm-2, ulm, ulm-3'],
    ['a locality before a recipient of a lower code', 'Ulm:1:recipient, Ulm:2', 'ulm-1, ulm'],
    ['an admin unit before any leaf', 'Ulm:1, Ulm', 'ulm-1, ulm'],
    ['admin units', 'Ulm, ULM, Úlm', 'ulm, ulm-2, ulm-3'],
    ['one code twice', 'Ulm:1, Ulm:1, Ulm:1', 'ulm, ulm-1, ulm-1-2'],
    ['a natural slug is never pushed out', 'Ulm:1, Ulm:2, Ulm 2:9', 'ulm, ulm-2-2, ulm-2'],
    ['nor by a unit counter', 'Ulm, ulm, Ulm 2', 'ulm, ulm-3, ulm-2'],
    ['a name without letters', '***:22 100, ---, !', '22-100, place, place-2'],
    ['codes with spaces', 'Ulm:AB 1, Ulm:AB 2', 'ulm, ulm-ab-2'],
  ])('%s', (_, siblings, slugs) => {
    const listed = siblings.split(', ').map((sibling) => sibling.split(':') as unknown as Sibling);
    expect(assign(listed).join(', ')).toBe(slugs);
  });

  test('a postal code without letters or digits leaves no hyphen behind', () => {
    expect(
      assign([
        ['Ulm', '1'],
        ['Ulm', '—'],
      ]),
    ).toEqual(['ulm', expect.stringMatching(SLUG)]);
  });

  test('any siblings: well formed, distinct, natural slugs kept', () => {
    const sibling = fc.tuple(
      fc.constantFrom('A', 'a', 'A 1', 'A 2', 'A 1 2', 'Á', '*', 'place', 'B'),
      fc.constantFrom(undefined, '1', '2', '1 2', 'A-1'),
    );
    fc.assert(
      fc.property(fc.array(sibling, { maxLength: 14 }), (siblings) => {
        const slugs = assign(siblings);
        expect(new Set(slugs).size).toBe(siblings.length);
        for (const slug of slugs) expect(slug).toMatch(SLUG);
        // A sibling with the natural slug of some sibling has a name of that slug, or a name without letters.
        for (const natural of new Set(siblings.map(([name]) => slugOf(name)))) {
          if (natural === '') continue;
          const [holder] = siblings[slugs.indexOf(natural)] as Sibling;
          expect([natural, '']).toContain(slugOf(holder));
        }
      }),
      { seed: 20260330, numRuns: 1000 },
    );
  });
});

describe('in the tree of a country', () => {
  const leaf = (code: string, name: string, region: string): FixtureRow => [code, name, region, '', '', 50, 30];

  test('places are ordered by name, slugs are those of the release', () => {
    const oblast = 'Свердловская Область';
    const tree = treeOf('RU', [
      leaf('101000', 'Москва', 'Москва'),
      ...['Екатеринбург', 'Ёлкино', 'Елкино'].map((name) => leaf('620000', name, oblast)),
    ]);
    expect(tree.names).toEqual(['Moskva', 'Sverdlovskaya Oblast', 'Moskva', 'Yekaterinburg', 'Yelkino', 'Yolkino']);
    expect(tree.slugs).toEqual(['moskva', 'sverdlovskaya-oblast', 'moskva', 'ekaterinburg', 'elkino', 'elkino-620000']);
  });

  test('siblings of one slug and code keep the order of the released names', () => {
    // Both names of a pair are shown as the Latin one: only the released names tell that it comes first.
    const pairs = ['Yar Яр', 'Yaz Яз', 'Yan Ян', 'Lom Лом', 'Bor Бор', 'Kut Кут'].map((pair) => pair.split(' '));
    const rows = pairs.flatMap((names) => names.toReversed().map((name) => leaf('1', name, 'Область')));
    const tree = treeOf('UA', rows);
    const slugByLocalName = new Map(tree.localNames.map((name, place) => [name, tree.slugs[place]]));
    for (const [latin = '', cyrillic = ''] of pairs) {
      const slug = latin.toLowerCase();
      expect([latin, slugByLocalName.get(latin), slugByLocalName.get(cyrillic)]).toEqual([latin, slug, `${slug}-1`]);
    }
  });
});
