/** Texts: how they are folded and spelled, and how their bytes are put together. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  BufferSink,
  type ByteSink,
  encodeUtf8,
  jsonByteString,
  TextSink,
} from '../../src/core/snapshot/byte-string.js';
import { foldQuery, foldText } from '../../src/core/snapshot/fold-text.js';
import { compactPostcode, normalizePostcode, plainPostcode } from '../../src/core/snapshot/postcode-spelling.js';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { listSpellings } from '../../src/core/snapshot/spellings.js';
import { anyCharacter } from '../fixtures/any-character.js';

/** Folding, slugs and postal codes: tables over many scripts, and what holds of any text. */
describe('text', () => {
  const anyText = fc.string({ unit: anyCharacter, maxLength: 40 });

  describe('folding and slugs', () => {
    test.each([
      ['St. Gallen', 'st gallen', 'st-gallen'],
      ['Łódź', 'lodz', 'lodz'],
      ['Майкоп', 'maykop', 'maykop'],
      ['Αθήνα', 'athina', 'athina'],
      ['서울', 'seoul', 'seoul'],
      ['北京', 'beijing', 'beijing'],
      ['القاهرة', 'lqhrh', 'lqhrh'],
      ['ירושלים', 'yrvslym', 'yrvslym'],
      ['กรุงเทพ', 'krungethph', 'krungethph'],
      ['თბილისი', 'tbilisi', 'tbilisi'],
      ['O’Fallon', 'ofallon', 'ofallon'],
      ["O'Fallon", 'ofallon', 'ofallon'],
      ["'s-Gravenhage", 's gravenhage', 's-gravenhage'],
      ['Straße', 'strasse', 'strasse'],
      ['STRASSE', 'strasse', 'strasse'],
      ['Øster Ærø', 'oster aero', 'oster-aero'],
      ['Þórshöfn', 'thorshofn', 'thorshofn'],
      ['São Tomé', 'sao tome', 'sao-tome'],
      ['São Tomé'.normalize('NFD'), 'sao tome', 'sao-tome'],
      ['Île-de-France', 'ile de france', 'ile-de-france'],
      ['Nienburg/Weser', 'nienburg weser', 'nienburg-weser'],
      ['ＴＯＫＹＯ　１', 'tokyo 1', 'tokyo-1'],
      ['  2. Bezirk,  (Leopoldstadt) ', '2 bezirk leopoldstadt', '2-bezirk-leopoldstadt'],
      ['Capra N° 7', 'capra n 7', 'capra-n-7'],
      ['Nº 5', 'no 5', 'no-5'],
      ['½ m²', '1 2 m2', '1-2-m2'],
      ['Gruner + Jahr & Co', 'gruner jahr co', 'gruner-jahr-co'],
      ['paris😀', 'paris', 'paris'],
      ['paris™', 'paris', 'paris'],
      ['nord€sud', 'nord sud', 'nord-sud'],
      ['€€', '', ''],
      ['§§', '', ''],
      ['©©', '', ''],
      ['™™', '', ''],
      ['ℹ️', '', ''],
      ['❤️🏝👨‍👩‍👧', '', ''],
      ['🇫🇷🏴󠁧󠁢󠁥󠁮󠁧󠁿', '', ''],
      ['--', '', ''],
      ['***', '', ''],
      ['’', '', ''],
      ['', '', ''],
    ])('%j', (name, folded, slug) => {
      expect(foldText(name)).toBe(folded);
      expect(slugOf(name)).toBe(slug);
    });

    test.each([
      ['München', ['munchen', 'muenchen']],
      ['Ålborg Ø', ['alborg o', 'aalborg oe']],
      ['O’Fallon', ['ofallon', 'o fallon']],
      ['Мар’їне', ['marine', 'mar ine']],
      ['Ольховка', ['olkhovka']],
      ['Гълъбово', ['glbovo']],
      ['Alacant/Alicante', ['alacant alicante', 'alicante alacant']],
      [
        'Fort St. John',
        ['fort st john', 'fort saint john', 'fort sankt john', 'ft st john', 'ft saint john', 'ft sankt john'],
      ],
      ['Puerto Montt', ['puerto montt', 'pto montt']],
      ['Pto. Madryn', ['pto madryn', 'puerto madryn', 'porto madryn']],
      ['Punta Arenas', ['punta arenas', 'pta arenas']],
      ['Santo Domingo', ['santo domingo', 'sto domingo', 's domingo']],
      ['General Roca', ['general roca', 'gral roca', 'gen roca']],
      ['Gral. Roca', ['gral roca', 'general roca', 'gen roca']],
      ['Ciudad Real', ['ciudad real', 'cdad real', 'cd real']],
      ['Villa María', ['villa maria', 'vla maria']],
      ['Buenos Aires', ['buenos aires', 'bs as']],
      ['North Las Vegas', ['north las vegas', 'n las vegas']],
      ['Ostrów Wielkopolski', ['ostrow wielkopolski', 'ostrow wlkp']],
      ['Frankfurt am Main', ['frankfurt am main', 'frankfurt a main', 'frankfurt main', 'frankfurt a m']],
      ['Ústí nad Labem', ['usti nad labem', 'usti n labem', 'usti labem', 'usti n l']],
      ['Boulogne-sur-Mer', ['boulogne sur mer', 'boulogne s mer', 'boulogne mer']],
      ['Weiden i.d.Opf.', ['weiden i d opf', 'weiden i dopf', 'weiden i d oberpfalz']],
      // Two ways to write ö, each with the abbreviations.
      [
        'Bad Homburg vor der Höhe',
        [
          ...['bad homburg vor der hohe', 'bad homburg vor der hoehe', 'bad homburg v d hohe', 'bad homburg v d hoehe'],
          ...['bad homburg hohe', 'bad homburg hoehe', 'bad homburg v d h', 'bad homburg vdh'],
        ],
      ],
      // A word alone is a name, a connector needs words on both sides, and a part of a word is none.
      ['Santa', ['santa']],
      ['Am Main', ['am main']],
      ['Bergen am 7', ['bergen am 7']],
      ['Santander Puertollano', ['santander puertollano']],
      ['🏝', []],
    ])('spellings of %j', (name, spellings) => {
      expect(listSpellings(name)).toEqual(spellings);
    });

    test('a name with every abbreviation has 32 spellings', () => {
      const words = 'Saint Fort Mount Puerto Punta Santa Santo General Ciudad Villa Nueva Santiago North Beach am Main';
      expect(listSpellings(words)).toHaveLength(32);
    });

    test.each([
      ['Århus', ['aarhus', 'arhus']],
      ['ÖTWIL'.normalize('NFD'), ['oetwil', 'otwil']],
      ['aarhus', ['aarhus']],
      ['Łódź', ['lodz']],
      ['!!', ['']],
    ])('foldings of the query %j', (query, foldings) => {
      expect(foldQuery(query)).toEqual(foldings);
    });

    test('any text: only a-z, 0-9 and single inner spaces, and folding twice changes nothing', () => {
      fc.assert(
        fc.property(anyText, (text) => {
          const folded = foldText(text);
          const slug = folded.replaceAll(' ', '-');
          expect(folded).toMatch(/^(?:[a-z0-9]+(?: [a-z0-9]+)*)?$/);
          expect([foldText(folded), slugOf(text), slugOf(slug)]).toEqual([folded, slug, slug]);
        }),
        { seed: 20260330, numRuns: 2000 },
      );
    });

    test('every character by itself folds to what the alphabet allows', () => {
      const bad: string[] = [];
      for (let point = 0; point < 0x110000; point++) {
        if (point >= 0xd800 && point < 0xe000) continue;
        const text = String.fromCodePoint(point);
        if (!/^(?:[a-z0-9]+(?: [a-z0-9]+)*)?$/.test(foldText(text))) bad.push(point.toString(16));
      }
      expect(bad).toEqual([]);
    });
  });

  describe('postal codes', () => {
    test.each([
      ['sw1a 1aa', 'SW1A 1AA', 'SW1A1AA'],
      ['  sw1a   1aa ', 'SW1A 1AA', 'SW1A1AA'],
      ['59-700', '59-700', '59700'],
      ['75021 cedex 01', '75021 CEDEX 01', '75021CEDEX01'],
      ['\tad\u00a0100\n', 'AD 100', 'AD100'],
      ['AD100', 'AD100', 'AD100'],
      ['-', '-', ''],
      [' ', '', ''],
      ['', '', ''],
    ])('%j', (text, normal, compact) => {
      expect(normalizePostcode(text)).toBe(normal);
      expect(compactPostcode(normal)).toBe(compact);
    });

    test.each([
      ['LV–1010', 'LV-1010'],
      ['80‑831', '80-831'],
      ['80−831', '80-831'],
      ['SW1A\u200b1AA', 'SW1A1AA'],
      ['\u00adAD100 \u2060', 'AD100'],
      ['59-700', '59-700'],
    ])('plain form of %j', (normal, plain) => {
      expect(plainPostcode(normal)).toBe(plain);
    });

    test('any text: normal form is its own, and compact form has neither spaces nor hyphens', () => {
      fc.assert(
        fc.property(fc.oneof(anyText, fc.string({ unit: fc.constantFrom(...'aB1 -\tß') })), (text) => {
          const normal = normalizePostcode(text);
          const compact = compactPostcode(normal);
          const spaced = compactPostcode(normalizePostcode(` ${text} `));
          expect([normalizePostcode(normal), spaced]).toEqual([normal, compact]);
          expect(/^\s|\s$|\s\s/.test(normal) || /[\s-]/.test(compact)).toBe(false);
        }),
        { seed: 20260330, numRuns: 1000 },
      );
    });
  });
});

/** Both sinks hold the same bytes, whatever is added in whatever order. */
describe('sinks', () => {
  const BYTES = Buffer.from('Zürich, 서울, Łódź');

  /** Texts around the length up to which a loop copies them, and slices of which some are outside of their bytes. */
  function fill(out: ByteSink): void {
    for (const count of [0, 1, 15, 16, 17, 300]) out.add(encodeUtf8('é'.repeat(count)));
    for (const [start, end, most] of [
      [0, 3, 99],
      [3, BYTES.length, 4],
      [0, 9_999, 9_999],
      [5, 2, 99],
      [9_999, 10_000, 99],
    ] as const) {
      out.addBytes(BYTES, start, end, most);
      out.add(',');
    }
  }

  function textOf(sink: BufferSink): string {
    return sink.bytes.toString('latin1');
  }

  describe.each([0, 1, 64, 65_536])('a Buffer of %i bytes at first', (capacity) => {
    test('holds what the string holds', () => {
      const text = new TextSink();
      fill(text);
      const sink = new BufferSink(capacity);
      fill(sink);
      expect(textOf(sink)).toBe(text.text);
      expect(sink.length).toBe(text.text.length);
      expect(sink.capacity).toBeGreaterThanOrEqual(capacity);
      expect(Buffer.from(text.text, 'latin1').includes(BYTES)).toBe(true);
    });

    test('takes back what was added last, and goes on', () => {
      const sink = new BufferSink(capacity);
      sink.add('kept');
      fill(sink);
      sink.truncate(4);
      sink.add(' and more');
      expect(textOf(sink)).toBe('kept and more');
    });
  });

  test.each(['', '10115', 'SW1A 1AA', '00-950', '"', '\\', 'É 1', '\u2028', '\u0001', '\ud800', '10115\n', '서울'])(
    'the code %j is quoted as JSON quotes it',
    (code) => {
      expect(jsonByteString(code)).toBe(encodeUtf8(JSON.stringify(code)));
    },
  );
});
