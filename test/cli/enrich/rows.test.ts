/** The rows of CSV text: those of the parser, in the bytes of the table, whatever the pieces are; and the columns that are guessed. */

import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { createCsvReader, readCsv } from '../../../cli/enrich/csv-rows.js';
import { guessColumns } from '../../../cli/enrich/guess-columns.js';
import { isBlankRow } from '../../../cli/enrich/table-rows.js';

const cell = fc.string({ unit: fc.constantFrom('a', '7', ' ', ',', ';', '"', '\n', '\r\n', 'é'), maxLength: 6 });
const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 });

/** Reads a text in pieces of some bytes. */
function readInPieces(text: string, pieceBytes: number) {
  const rows = [];
  let rest = '';
  for (let at = 0; at < text.length; at += pieceBytes) {
    const piece = rest + text.slice(at, at + pieceBytes);
    const read = [...readCsv(piece, ',', false)];
    rows.push(...read);
    rest = piece.slice(read.reduce((sum, row) => sum + row.text.length, 0));
  }
  return [...rows, ...readCsv(rest, ',', true)];
}

test.each([true, false])(
  'rows are those of csv-parse and have all bytes, in any pieces; all cells quoted: %s',
  (quoted) => {
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n'), fc.integer({ min: 1, max: 40 }), (cells, lineBreak, size) => {
        const text = Buffer.from(
          stringify(cells, { quoted, quoted_empty: true, record_delimiter: lineBreak }),
        ).toString('latin1');
        const rows = readInPieces(text, size);
        expect(rows.map((row) => row.text).join('')).toBe(text);
        expect(rows.map((row) => row.cells)).toEqual(
          parse(Buffer.from(text, 'latin1'), {
            encoding: 'latin1',
            record_delimiter: ['\r\n', '\n'],
            relax_column_count: true,
          }),
        );
      }),
      { seed: 35, numRuns: 100 },
    );
  },
);

test('text without quotes is split as csv-parse parses it', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', '7', ' ', ',', '\n', '\r', '\r\n', '\t', 'é'), maxLength: 40 });
  fc.assert(
    fc.property(plain, (text) => {
      const bytes = Buffer.from(text);
      expect(Array.from(readCsv(bytes.toString('latin1'), ',', true), ({ cells }) => cells)).toEqual(
        parse(bytes, { encoding: 'latin1', record_delimiter: ['\r\n', '\n'], relax_column_count: true }),
      );
    }),
    { seed: 35, numRuns: 200 },
  );
});

test('any text comes through whole, and its rows are the same in any pieces', () => {
  const any = fc.string({ unit: fc.constantFrom('a', '"', '""', ',', '\n', '\r\n', '",', ',"'), maxLength: 60 });
  fc.assert(
    fc.property(any, fc.integer({ min: 1, max: 20 }), (text, size) => {
      const rows = readInPieces(text, size);
      expect(rows.map((row) => row.text).join('')).toBe(text);
      expect(rows).toEqual([...readCsv(text, ',', true)]);
    }),
    { seed: 35, numRuns: 3_000 },
  );
});

test('behind a row with an open quote, each line is read as if it stood alone', () => {
  const [first, ...others] = readCsv('"a\nb","p\nq",z,"c\nd,e\n', ',', true);
  expect(first).toMatchObject({ text: '"a\n', openQuote: 2 });
  expect(others).toEqual([...readCsv('b","p\nq",z,"c\nd,e\n', ',', true)]);
});

describe('bad rows', () => {
  const reader = createCsvReader({ delimiter: ',', isQuoted: false }, 2, [1]);
  const read = (text: string) =>
    Array.from(reader.read(text, true), (row) =>
      isBlankRow(row) ? 'blank' : row.keys === undefined ? `bad ${row.head}` : row.keys[0],
    );

  test.each([
    ['too few and too many cells', 'a,1\nb\nc,2,3\nd,4\n', ['1', 'bad b', 'bad c,2,3', '4']],
    ['a quote that is not closed', 'a,1\nb,"2\nc,3\nd,4\n', ['1', 'bad b,"2', '3', '4']],
    ['a quote that the next quote would close', 'a,1\nb,"2\nc,"3"\nd,4\n', ['1', 'bad b,"2', '3', '4']],
    ['a quote that is not closed in the last line', 'a,1\nb,"2', ['1', 'bad b,"2']],
    ['blank lines', 'a,1\n\n  \r\nb,2\n', ['1', 'blank', 'blank', '2']],
  ])('%s', (_, text, expected) => expect(read(text)).toEqual(expected));

  test.each([
    ['quotes in the middle of a cell', 'a,5" pipe\nb,2\n', ['5" pipe', '2']],
    ['such quotes beside a cell with a line break', '"a\nb",5" pipe\nb,2\n', ['5" pipe', '2']],
    ['text behind a closing quote', 'a,"x"y\nb,2\n', ['"x"y', '2']],
    ['line breaks and delimiters in quotes', '"a\n",",\n"\nb,2\n', [',\n', '2']],
  ])('no bad row: %s', (_, text, expected) => expect(read(text)).toEqual(expected));

  test('a quote that is not closed within a megabyte is a bad row, and the rest is read', () => {
    const lines = `${'c'.repeat(97)},3\n`.repeat(12_000);
    const [first, ...others] = readInPieces(`b,"2\n${lines}`, 1 << 18);
    expect(first).toMatchObject({ text: 'b,"2\n', openQuote: 0 });
    expect(others).toHaveLength(12_000);
    expect(others.every(({ cells }) => cells?.[1] === '3')).toBe(true);
  });
});

describe('guessed columns', () => {
  test.each([
    ['id,land,PLZ', 1, 2],
    ['Straße,Postleitzahl,Ort,Länderkennzeichen', 3, 1],
    ['Laendercode,Plz', 0, 1],
    ['rue,Code postal,ville,Pays', 3, 1],
    ['calle,Código Postal,País', 2, 1],
    ['CAP,comune,paese', 2, 0],
    ['cep,pais', 1, 0],
    ['postal_code,country_code', 1, 0],
    ['postalCode,countryCode', 1, 0],
    ['ZIP,COUNTRY', 1, 0],
    ['customer.address.zip,customer.address.country', 1, 0],
    ['billing_zip,zip,country', 2, 1],
    ['Postnummer,Land', 1, 0],
    ['kod_pocztowy,kraj', 1, 0],
    ['индекс,страна', 1, 0],
    ['ταχυδρομικός κώδικας,χώρα', 1, 0],
    ['郵便番号,国', 1, 0],
    ['우편번호,국가', 1, 0],
    ['邮编,国家', 1, 0],
    ['الرمز البريدي,البلد', 1, 0],
  ])('%s', (header, country, postcode) => {
    expect(guessColumns(header.split(','))).toEqual({ country, postcode });
  });

  test.each(['landmark,gzip', 'capital,islands', 'countryside,capacity', 'Ort,Name', 'zip_length,country_count'])(
    'no column of %s',
    (header) => {
      expect(guessColumns(header.split(','))).toEqual({ country: undefined, postcode: undefined });
    },
  );

  test.each([
    ['name,Land,Anschrift', 2],
    ['Customer Address,Country', 0],
    ['email_address,direccion,pais', 1],
    ['E-Mail-Adresse,IP address', undefined],
    ['会社,住所', 1],
    ['имя,адрес', 1],
    ['Rechnungsadresse,Adresse', 0],
  ])('the address among %s', (header, address) => {
    expect(guessColumns(header.split(',')).address).toBe(address);
  });
});
