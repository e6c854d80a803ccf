/** What becomes of names: two spellings, slugs among siblings, and their order. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTextCorrector, decodeMojibake } from '../../build-index/naming/corrected-text.js';
import { splitBilingualName } from '../../build-index/naming/place-names.js';
import { Slugger } from '../../build-index/tree/country-tree.js';
import { compareCodePoints, rankNames } from '../../build-index/tree/name-order.js';
import { sortByKeys, sortTexts } from '../../build-index/tree/sort-keys.js';
import { slugOf } from '../../src/core/snapshot/slug.js';

describe('bilingual names', () => {
  test.each([
    ['Айтос / Ajtos', 'Ajtos', 'Айтос'],
    ['Ajtos / Айтос', 'Ajtos', 'Айтос'],
    ['Айтос/Ajtos', 'Ajtos', 'Айтос'],
    ['თბილისი / Tbilisi', 'Tbilisi', 'თბილისი'],
    ['서울 / Seoul', 'Seoul', '서울'],
    ['Νέα Σμύρνη (2) / Nea Smyrni (2)', 'Nea Smyrni (2)', 'Νέα Σμύρνη (2)'],
  ])('%s is two spellings', (text, name, localName) => {
    expect(splitBilingualName(text)).toEqual({ name, localName });
  });

  test.each([
    'Nienburg/Weser',
    'Martanesh/Kraste',
    'Айтос / Бургас',
    'Айтос',
    'Αθήνα 1/2',
    'Ajtos Айтос / Burgas',
    '/',
    'Айтос /',
    '/ Ajtos',
    '1 / 2',
    '',
  ])('%j is one', (text) => expect(splitBilingualName(text)).toEqual({ name: text, localName: text }));

  test('a slash inside one of the spellings', () => {
    expect(splitBilingualName('Б/А / B/A')).toEqual({ name: 'B/A', localName: 'Б/А' });
  });
});

describe('slugs among siblings', () => {
  type Sibling = readonly [name: string, postalCode: string | null, type?: 'recipient'];

  function assign(...siblings: readonly Sibling[]): string[] {
    // The siblings before and behind must make no difference.
    const around: Sibling[] = [['Ulm', '1'], ...siblings, ['Ulm', '2']];
    const slugger = new Slugger(
      around.map(([name]) => name),
      around.map(([, postalCode]) => postalCode),
      (place) => around[place]?.[2] === 'recipient',
      (a, b) => a - b,
    );
    slugger.assign(0, 1);
    slugger.assign(1, 1 + siblings.length);
    slugger.assign(1 + siblings.length, around.length);
    expect([slugger.slugs[0], slugger.slugs.at(-1)]).toEqual(['ulm', 'ulm']);
    return slugger.slugs.slice(1, -1);
  }

  test.each<[string, Sibling[], string[]]>([
    [
      'no clash',
      [
        ['Ulm', '1'],
        ['Bonn', '2'],
      ],
      ['ulm', 'bonn'],
    ],
    [
      'the lowest code has the plain slug',
      [
        ['Ulm', '2'],
        ['Ulm', '1'],
        ['Ulm', '3'],
      ],
      ['ulm-2', 'ulm', 'ulm-3'],
    ],
    [
      'a locality before a recipient of a lower code',
      [
        ['Ulm', '1', 'recipient'],
        ['Ulm', '2'],
      ],
      ['ulm-1', 'ulm'],
    ],
    [
      'an admin unit before any leaf',
      [
        ['Ulm', '1'],
        ['Ulm', null],
      ],
      ['ulm-1', 'ulm'],
    ],
    [
      'two admin units',
      [
        ['Ulm', null],
        ['ULM', null],
        ['Úlm', null],
      ],
      ['ulm', 'ulm-2', 'ulm-3'],
    ],
    [
      'one code twice',
      [
        ['Ulm', '1'],
        ['Ulm', '1'],
        ['Ulm', '1'],
      ],
      ['ulm', 'ulm-1', 'ulm-1-2'],
    ],
    [
      'a natural slug is never pushed out',
      [
        ['Ulm', '1'],
        ['Ulm', '2'],
        ['Ulm 2', '9'],
      ],
      ['ulm', 'ulm-2-2', 'ulm-2'],
    ],
    [
      'nor by a unit counter',
      [
        ['Ulm', null],
        ['ulm', null],
        ['Ulm 2', null],
      ],
      ['ulm', 'ulm-3', 'ulm-2'],
    ],
    [
      'a name without letters',
      [
        ['***', '22 100'],
        ['---', null],
        ['!', null],
      ],
      ['22-100', 'place', 'place-2'],
    ],
    [
      'codes with spaces',
      [
        ['Ulm', 'AB 1'],
        ['Ulm', 'AB 2'],
      ],
      ['ulm', 'ulm-ab-2'],
    ],
  ])('%s', (_, siblings, slugs) => expect(assign(...siblings)).toEqual(slugs));

  test('a postal code without letters or digits leaves no hyphen behind', () => {
    expect(assign(['Ulm', '1'], ['Ulm', '—'])).toEqual(['ulm', expect.stringMatching(/^[a-z0-9]+(-[a-z0-9]+)*$/)]);
  });

  test('any siblings: well formed, distinct, natural slugs kept', () => {
    const sibling = fc.tuple(
      fc.constantFrom('A', 'a', 'A 1', 'A 2', 'A 1 2', 'Á', '*', 'place', 'B'),
      fc.constantFrom(null, '1', '2', '1 2', 'A-1'),
    );
    fc.assert(
      fc.property(fc.array(sibling, { maxLength: 14 }), (siblings) => {
        const slugs = assign(...siblings);
        expect(new Set(slugs).size).toBe(siblings.length);
        for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        // Whoever has a slug that is some sibling's natural one is called so, or has no letters to be called by.
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

describe('the order of names', () => {
  test('accents stand beside their base letter, scripts behind each other, ties by code point', () => {
    const names = [
      'zebra',
      'Äpfel',
      'apfel',
      'Apfel',
      'Zürich',
      'Ångström',
      'Oslo',
      'Øst',
      'Łódź',
      'Lodz',
      'Москва',
      '서울',
      '10',
      '9',
      '',
    ];
    const ranks = rankNames(names);
    const sorted = [...names].sort((a, b) => (ranks.get(a) as number) - (ranks.get(b) as number));
    expect(sorted).toEqual([
      '',
      '10',
      '9',
      'Ångström',
      'apfel',
      'Apfel',
      'Äpfel',
      'Lodz',
      'Łódź',
      'Oslo',
      'Øst',
      'zebra',
      'Zürich',
      'Москва',
      '서울',
    ]);
    expect(new Set(ranks.values()).size).toBe(names.length);
  });

  test('composed and decomposed spellings are equal for the collation, and still in one order', () => {
    const [composed, decomposed] = ['é', 'é'.normalize('NFD')];
    const ranks = rankNames([composed, decomposed, 'f']);
    expect(ranks.get(decomposed) as number).toBeLessThan(ranks.get(composed) as number);
    expect(ranks.get('f')).toBe(2);
  });

  test('compareCodePoints is the order of UTF-8 bytes, surrogates included', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '\uffee', '\ue000', '\ud7ff', '🏝', '𝟏'),
      maxLength: 5,
    });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { seed: 20260330, numRuns: 1000 },
    );
  });
});

describe('Texts that a release has wrong, each rule both ways', () => {
  const correct = (country: string, text: string): string => createTextCorrector(country)(text).text;

  describe('small letters inside a name', () => {
    test.each([
      ['ES', 'Jerez De La Frontera', 'Jerez de la Frontera'],
      ['ES', 'Casas De Huertas El Rincon', 'Casas de Huertas El Rincon'],
      ['ES', 'Castillo Del Romeral', 'Castillo del Romeral'],
      ['ES', 'Huelmos Y Casasolilla', 'Huelmos y Casasolilla'],
      ['ES', 'San Lorenzo De El Escorial', 'San Lorenzo de El Escorial'],
      ['ES', 'San Sebastian De La Gomera', 'San Sebastian de La Gomera'],
      ['ES', 'Santa Margarida I Els Monjos', 'Santa Margarida i els Monjos'],
      ['ES', 'Castellet I La Gornal', 'Castellet i la Gornal'],
      ['ES', "Sant Sadurni D'Anoia", "Sant Sadurni d'Anoia"],
      ['ES', "Vilanova De L'Aguda", "Vilanova de l'Aguda"],
      ['ES', "El Moli D'En Rovira", "El Moli d'en Rovira"],
      ['ES', 'Pobra Do Caramiñal, A', 'Pobra do Caramiñal, A'],
      ['IT', 'Reggio Di Calabria', 'Reggio di Calabria'],
      ['IT', "Sant'Agata De' Goti", "Sant'Agata de' Goti"],
      ['IT', "San Massimo All'Adige", "San Massimo all'Adige"],
      ['IT', 'San Giorgio In Salici', 'San Giorgio in Salici'],
      ['PT', 'Idanha-A-Nova', 'Idanha-a-Nova'],
      ['PT', 'São João Da Boa Vista', 'São João da Boa Vista'],
      ['BR', 'Parque Do Carmo', 'Parque do Carmo'],
    ])('%s %s', (country, text, expected) => expect(correct(country, text)).toBe(expected));

    test.each([
      // The first word, also behind a bracket, and the last one.
      ['ES', 'De La Vega'],
      ['ES', 'Granja (De la Vega)'],
      ['ES', 'Playa, De'],
      // An article that belongs to the name behind it.
      ['ES', 'Lugar El Torres'],
      ['ES', "Urbanizacion L'Eliana"],
      ['ES', "Estany, L'"],
      ['ES', 'Santa Maria A Real'],
      // A number and a letter.
      ['ES', 'Encinar I y II'],
      ['PT', 'Casal A-de-Galinhas'],
      // A surname.
      ['IT', 'Morra De Sanctis'],
      ['IT', "L'Aquila"],
      ['IT', "Sant'Angelo"],
      ['IT', 'VILLA DI SERIO'],
      ['PT', 'De Ferreiros'],
      // Other countries.
      ['US', "Coeur D'Alene"],
      ['US', 'Coeur D Alene'],
      ['FR', 'Cannes La Bocca'],
      ['FR', "L'Île-d'Yeu"],
      ['NL', 'De Bilt'],
      ['NL', "'s-Gravenhage"],
      ['CO', 'Santa Barbara De Pinto'],
    ])('%s %s stays', (country, text) => expect(correct(country, text)).toBe(text));
  });

  describe('an s behind an apostrophe', () => {
    test.each([
      ['SG', "Queen'S Road", "Queen's Road"],
      ['KE', 'Moi’S Bridge', 'Moi’s Bridge'],
      ['GB', "King'S", "King's"],
    ])('%s %s', (country, text, expected) => expect(correct(country, text)).toBe(expected));

    test.each([
      ['US', "O'Sullivan"],
      ['DZ', "M'Sila"],
      ['BE', "'S Gravenwezel"],
      ['AR', "COLONIA LIEBIG'S"],
      ['US', "Hunter's"],
    ])('%s %s stays', (country, text) => expect(correct(country, text)).toBe(text));
  });

  describe('an apostrophe for an accent', () => {
    test.each([
      ['IT', "Citta' Di Castello", 'Città di Castello'],
      ['IT', "Forli' Del Sannio", 'Forlì del Sannio'],
      ['IT', "San Nicolo' A Tordino", 'San Nicolò a Tordino'],
      ['IT', "Cefalu'", 'Cefalù'],
      ['IT', "Cuorgne'", 'Cuorgnè'],
      ['IT', "Pre' Saint Didier", 'Pré Saint Didier'],
      ['IT', "CITTA' SANT'ANGELO", "CITTÀ SANT'ANGELO"],
    ])('%s %s', (country, text, expected) => expect(correct(country, text)).toBe(expected));

    test.each([
      ['IT', "Ca' Savio"],
      ['IT', "Vo' Vecchio"],
      ['IT', "Torre de' Passeri"],
      ['IT', "Sant'Angelo"],
      ['IT', "Villa 'Aurora'"],
      ['SM', "Citta'"],
      ['ID', "Ba'a"],
      ['UA', "Prip'"],
    ])('%s %s stays', (country, text) => expect(correct(country, text)).toBe(text));
  });

  describe('mojibake', () => {
    test.each([
      ['HÃ¼ls AG Werk LÃ¼lsdorf', 'Hüls AG Werk Lülsdorf'],
      ['JustizbehÃ¶rden', 'Justizbehörden'],
      ['GroÃŸ Gerau', 'Groß Gerau'],
      ['Lâ€™Isle', 'L’Isle'],
      ['ÐœÐ¾Ñ\u0081ÐºÐ²Ð°', 'Москва'],
    ])('%s', (text, decoded) => {
      expect(decodeMojibake(text)).toBe(decoded);
      expect(correct('DE', text)).toBe(decoded);
    });

    test.each([
      'Hüls',
      'Úšovice',
      'Úžice',
      'Ãguas',
      'HÃ¼ls bei Köln',
      'São João',
      'Москва',
      'Ã',
      '\u00c3\u0028',
      // Valid, but letters of two scripts.
      'Moscow Ð¾',
    ])('%s stays', (text) => expect(decodeMojibake(text)).toBe(text));
  });

  test('a corrected text stays, and the kinds of the corrections are told', () => {
    const corrector = createTextCorrector('IT');
    const { text, kinds } = corrector("Citta' Della Pieve");
    expect(kinds).toEqual(['name: accent for an apostrophe', 'name: small letters inside']);
    expect(corrector(text)).toEqual({ text, kinds: [] });
  });
});

describe('sorting by numbers', () => {
  const naive = <Value>(values: readonly Value[], compare: (one: Value, other: Value) => number): number[] =>
    [...values.keys()].sort((a, b) => compare(values[a] as Value, values[b] as Value) || a - b);

  test('gives the order of a stable comparison, up to the largest exact number', () => {
    const key = fc.oneof(fc.nat(3), fc.nat(), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        const expected = naive(keys, (one, other) => one - other);
        expect([...sortByKeys(Float64Array.from(keys))]).toEqual(expected);
      }),
    );
  });

  test('compares the elements of equal keys alone', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3)), (keys) => {
        const expected = [...keys.keys()].sort((a, b) => (keys[a] as number) - (keys[b] as number) || b - a);
        expect([...sortByKeys(Float64Array.from(keys), (a, b) => b - a)]).toEqual(expected);
      }),
    );
  });

  test('sorts folded texts, also those of which the first ten characters are the same', () => {
    const text = fc.array(fc.constantFrom('a', 'z', '0', '9', 'san ', 'frankfurt am '), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(text), (parts) => {
        const texts = parts.map((words) => words.join('').trim());
        const sorted = Array.from(sortTexts(texts), (index) => texts[index]);
        expect(sorted).toEqual(texts.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)));
      }),
    );
  });
});
