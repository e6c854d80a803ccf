/** The independent reader and the service agree on names, their order and the context of places. */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { foldText, listSpellings, slugOf as programSlugOf } from '../../../src/core/snapshot/fold-text.js';
import {
  findEntries,
  findName,
  type NameIndex as ProgramNameIndex,
  ranksOfName,
} from '../../../src/core/snapshot/name-index.js';
import { ContextMatcher } from '../../../src/core/snapshot/place-contexts.js';
import type { Country } from '../../../src/core/snapshot/snapshot.js';
import { WorkBudget } from '../../../src/core/snapshot/work-budget.js';
import { NameLookup } from '../../../src/core/suggest/name-lookup.js';
import { searchNames } from '../../../src/core/suggest/names.js';
import { type NameIndex, readNameIndex } from './finding.js';
import { fold, slugOf, spellingsOf } from './folding.js';
import { type ReadCountry, readScene, type Scene, sliceOf } from './scene.js';

let scene: Scene;
let answersOf: ReadonlyMap<number, ReadCountry['answers']>;
beforeAll(async () => {
  scene = await readScene();
  answersOf = new Map(scene.countries.map(({ number, answers }) => [number, answers]));
});

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const spellingsByName = new Map<string, readonly string[]>();
/** Of a name and a local name, mostly the same. */
function spellingsOfBoth({ name, localName }: { readonly name: string; readonly localName: string }): string[] {
  return [...new Set([name, localName])].flatMap((text) => {
    const spellings = spellingsByName.get(text) ?? spellingsOf(text);
    spellingsByName.set(text, spellings);
    return spellings;
  });
}

/** The spellings of the English names of regions, which stand in no answer. */
const ofRegions = new Set(
  readFileSync('data/subdivision-names.tsv', 'utf8')
    .split('\n')
    .slice(1)
    .flatMap((line) => spellingsOf(line.split('\t')[1] ?? '')),
);

describe('names', () => {
  /** The independent reader's index, the program's, and the country that it is of. */
  function everyIndex(): [NameIndex, ProgramNameIndex, Country | undefined][] {
    const world = readNameIndex(scene.file.world[2] as Buffer, 'world');
    const ofCountries = scene.countries.map((country): [NameIndex, ProgramNameIndex, Country | undefined] => {
      const index = readNameIndex(sliceOf(country, 'name-index'), 'country');
      return [index, country.structures.names, scene.snapshot.countryByCode.get(country.code)];
    });
    return [[world, scene.snapshot.worldNames, undefined], ...ofCountries];
  }

  test('are the spellings of all places, with an entry for each word', () => {
    for (const [index, , only] of everyIndex()) {
      const answers = only === undefined ? [...answersOf.values()].flat() : (answersOf.get(only.number) ?? []);
      // Recipients are not suggested, but for those that are called after a place.
      const suggested = answers.filter(
        ({ type, postalCode }) => type !== 'recipient' || /CEDEX/.test(postalCode ?? ''),
      );
      const spellings = new Set(suggested.flatMap(spellingsOfBoth));
      expect(index.names.filter((name) => spellings.has(name) || !ofRegions.has(name))).toEqual([...spellings].sort());
      const words = index.names.flatMap((name, number) =>
        [...name.matchAll(/[^ ]+/g)]
          .filter((word) => word.index < 256)
          .map((word) => ({ name: number, offset: word.index })),
      );
      const textOf = ({ name, offset }: { name: number; offset: number }): string =>
        (index.names[name] as string).slice(offset);
      words.sort((a, b) => compareBytes(textOf(a), textOf(b)) || a.offset - b.offset || a.name - b.name);
      expect(index.entries).toEqual(words);
    }
  });

  test('sampled prefixes, and ranks of entries, are what the format says', () => {
    const wordOf = (bytes: Buffer, at: number): number => bytes.readUInt32BE(at);
    for (const [index] of everyIndex()) {
      for (const { prefixes, texts, step } of Object.values(index.prefixes)) {
        const sampled = texts.filter((_, at) => at % step === 0);
        const padded = sampled.map((text) => Buffer.concat([Buffer.from(text as string), Buffer.alloc(8)]));
        expect(prefixes).toEqual(padded.flatMap((bytes) => [wordOf(bytes, 0), wordOf(bytes, 4)]));
      }
      const ranks = index.entries.map(({ name }) => {
        const { own, other } = index.ranksOf(name);
        return own.length === 1 && other.length === 0 ? own[0] : 0xffffffff;
      });
      expect(index.entryRanks).toEqual(ranks);
    }
  });

  test('whole names: the ranks, and the places that bear them', () => {
    for (const [index, program, only] of everyIndex()) {
      const wrong = index.names.filter((name, number) => {
        if (ofRegions.has(name)) return false;
        const theirs = [...ranksOfName(program, findName(program, Buffer.from(name)) as number)];
        const isBorne = theirs.some((rank) => {
          const country = index.countries[rank] ?? only?.number;
          const answer = answersOf.get(country as number)?.[index.places[rank] as number];
          return answer !== undefined && spellingsOfBoth(answer).includes(name);
        });
        return (
          !isBorne ||
          [index.calledRanks(name), index.ranksOf(number)].some(
            ({ own, other }) => [...own, ...other].sort((a, b) => a - b).join() !== theirs.join(),
          )
        );
      });
      expect(wrong).toEqual([]);
      expect([index.firstSameName, index.topCount]).toEqual([program.firstSameName[0], program.topCount]);
    }
  });

  test('prefixes: the range, and what is suggested', () => {
    for (const [index, program, only] of everyIndex()) {
      const starts = index.entries.flatMap(({ name, offset }) => {
        const text = (index.names[name] as string).slice(offset);
        return [text.slice(0, 1), text.slice(0, 3), text.slice(0, 6)];
      });
      const wrong = ['zzz', 'q', ...new Set(starts)].filter((prefix) => {
        const { start, end } = findEntries(program, Buffer.from(prefix));
        if (index.rangeOf(prefix).join() !== [start, end].join()) return true;
        // With several words the service looks for more, where nothing starts so it looks for typing errors, and what
        // may be a postal code finds the places of that code too.
        if (prefix.includes(' ') || /\d/.test(prefix) || start === end) return false;
        const theirs = searchNames(
          new NameLookup(scene.snapshot, { countries: only && [only] }, new WorkBudget()),
          [prefix],
          25,
        ).places.map(({ country, place }) => `${country.number} ${place}`);
        const ours = index.suggest(prefix).flatMap((rank) => {
          const place = `${index.countries[rank] ?? only?.number} ${index.places[rank]}`;
          // The service leaves out same-name places that users could not distinguish from the places before them.
          return rank < index.firstSameName || theirs.includes(place) ? [place] : [];
        });
        return ours.join() !== theirs.join();
      });
      expect(wrong).toEqual([]);
    }
  });

  test('every large range has its top, and nothing else has one', () => {
    for (const [index, , only] of everyIndex()) {
      const largeRanges = new Set<string>();
      const visit = (prefix: string): void => {
        const range = index.rangeOf(prefix);
        const top = index.findTop(range);
        expect([prefix, top !== undefined]).toEqual([prefix, range[1] - range[0] > 256]);
        if (top === undefined) return;
        largeRanges.add(range.join());
        expect(top).toEqual(index.collectRanks(range).map((ranks) => ranks.slice(0, 25)));
        for (const next of 'abcdefghijklmnopqrstuvwxyz0123456789 ') visit(prefix + next);
      };
      visit('');
      expect(largeRanges.size).toBe(index.topCount);
      if (only === undefined) expect(index.topCount).toBeGreaterThan(5);
    }
  });

  test('what places lie in', () => {
    let lineCount = 0;
    for (const { places, number, answers } of scene.countries) {
      const country = scene.snapshot.countries[number] as Country;
      expect(places.units).toEqual(answers.flatMap(({ postalCode }, place) => (postalCode === null ? [place] : [])));
      const linesOf = ({ names, codes }: { names: string[]; codes: string[] }): string[] => [...names, ...codes];
      const texts = [places.countryContext, ...places.units.map(places.unitContext)];
      expect(places.countryContext.codes).toContain(country.entry.code.toLowerCase());
      const sample = answers.flatMap((_, place) => (place % Math.ceil(answers.length / 40) === 0 ? [place] : []));
      for (const line of new Set(texts.flatMap(linesOf).filter((text) => text.split(' ').length <= 4))) {
        lineCount++;
        const matcher = new ContextMatcher(line.split(' '));
        const theirs = sample.filter(
          (place) => matcher.match(country.number, country.structures as never, place, new WorkBudget()) === 'whole',
        );
        const ours = sample.filter((place) =>
          [places.countryContext, ...places.ancestorsOf(place).map(places.unitContext)].some((text) =>
            linesOf(text).includes(line),
          ),
        );
        expect([line, ours]).toEqual([line, theirs]);
      }
    }
    expect(lineCount).toBeGreaterThan(100);
  });
});

test('folding of code points of every script', () => {
  const differences: string[] = [];
  for (let codePoint = 0; codePoint < 0x20000; codePoint += codePoint < 0x3400 ? 1 : 7) {
    if (codePoint >= 0xd800 && codePoint < 0xe000) continue;
    const text = `a${String.fromCodePoint(codePoint)}B 1`;
    if (fold(text) !== foldText(text)) differences.push(text);
  }
  expect(differences).toEqual([]);
});

test('slugs and spellings of every name', () => {
  const names = new Set(
    scene.countries.flatMap(({ answers }) => answers.flatMap((place) => [place.name, place.localName])),
  );
  const made = [
    'Fort St. John',
    "Coeur d'Alene / Saint l o 7 Sainte-Marie/x",
    'St-'.repeat(70),
    `${'x'.repeat(179)} y`,
  ];
  const written = ["'s-Hertogenbosch", 'Ångström Ørsted', 'Mount ft Mt fort sankt st ste'];
  const abbreviated = [
    ...['Frankfurt am Main', 'Bad Homburg vor der Höhe', 'Am Main', 'Ulm am 7', 'Alphen aan den Rijn', 'Sørup am See'],
    ...['Neustadt an der Weinstraße', 'Ústí nad Labem', 'Pto. Santa Sta. San Sto. Gral.', 'Buenos Aires', 'Santa'],
    'Saint Fort Mount Puerto Santa General San North South Beach Springs Heights am Main',
  ];
  const differences = [...names, ...made, ...written, ...abbreviated].flatMap((name) => {
    const [ours, theirs] = [
      [slugOf(name), ...spellingsOf(name)],
      [programSlugOf(name), ...listSpellings(name)],
    ];
    return ours.join() === theirs.join() ? [] : [{ name, ours, theirs }];
  });
  expect(differences).toEqual([]);
});
