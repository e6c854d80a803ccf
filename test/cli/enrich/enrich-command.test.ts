/** The command on small tables: formats, guesses, key columns, added columns, bad rows. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FIELD_NAMES } from '../../../cli/enrich/added-fields.js';
import { BLOCK_ROWS } from '../../fixtures/block-codes.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { lineOf } from '../../fixtures/hand-made-release.js';
import { NAMED_ROWS } from '../../fixtures/named-release.js';
import { buildScene, runEnrich } from './scene.js';

const { snapshotPath, folderPath, enrich, resultOf } = buildScene(['AD', 'DE', 'GB', 'AX']);

describe('--lang', () => {
  test('names are in the first language that has one; what a row finds stays', async () => {
    const fixture = await buildFixtureSnapshot(NAMED_ROWS);
    const [table, fields] = ['plz\n80333\n20095\n90402\n', 'city,local_name,state,country_name'];
    const inLanguages = async (...lang: string[]): Promise<string[]> => {
      const args = ['-', '--snapshot', fixture.path, '--format', 'csv', '--country', 'DE', '--add', fields, ...lang];
      return (await runEnrich(args, { stdin: table })).out.trimEnd().split('\n').slice(1);
    };
    try {
      expect(await inLanguages('--lang', 'ru')).toEqual([
        '80333,Мюнхэн,München,Бавария,Германия,exact',
        '20095,Hamburg,Hamburg,Hamburg,Германия,exact',
        '90402,Нюрнберг,Nürnberg,Бавария,Германия,exact',
      ]);
      expect((await inLanguages('--lang', 'fr,ru'))[2]).toBe('90402,Нюрнберг,Nürnberg,Бавария,Allemagne,exact');
      expect(await inLanguages('--lang', 'xx')).toEqual(await inLanguages());
    } finally {
      fixture.cleanup();
    }
  });

  test.each(['*', '', 'de,en,fr,it', 'a'.repeat(1_000_000), 'de\u0007'])('is refused: %j', async (lang) => {
    const { exitCode, errors } = await enrich('plz\n80331\n', '--country', 'DE', '--lang', lang);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining('--lang must be 1 to 3 language tags')]);
  });
});

describe('formats', () => {
  test('CSV: the default fields, with guessed columns', async () => {
    const { out, errors } = await enrich('name;Land;PLZ\nA;DE;80331\nB;Andorra;ad100\n');
    expect(out).toBe(
      'name;Land;PLZ;city;state;latitude;longitude;match\n' +
        'A;DE;80331;München;Bayern;48.3;11.7;exact\n' +
        'B;Andorra;ad100;Canillo;Canillo;42.5667;1.6;normalised\n',
    );
    expect(errors).toContain('(semicolon): postcode from "PLZ", country from "Land"; adding "city", "state", "lat');
    expect(errors).toMatch(
      /^2 rows in .* s, [\d,]+ a second\n\nmatch +rows +share\nexact +1 +50.00 %\nnormalised +1 +50.00 %\n$/m,
    );
  });

  test('TSV, by the name of the file, into a file', async () => {
    const [table, out] = [join(folderPath(), 'a.TSV'), join(folderPath(), 'out.tsv')];
    writeFileSync(table, 'cp\tpays\nAD500\tAND');
    const { exitCode } = await runEnrich([table, '--snapshot', snapshotPath(), '--add', 'city', '--out', out]);
    expect(exitCode).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe('cp\tpays\tcity\tmatch\nAD500\tAND\tAndorra la Vella\texact');
  });

  test('standard output, without --out and under the name -', async () => {
    const [table, args] = ['zip\nAD500\n', ['--country', 'AD', '--add', 'city']];
    expect(await resultOf(table, ...args, '--out', '-')).toBe(await resultOf(table, ...args));
    expect(existsSync('-')).toBe(false);
  });

  test('NDJSON: texts stay as they are, numbers are numbers, nothing is null', async () => {
    const rows = '{"zip":80331, "x": 1.0}\n {"zip":"9"} \r\n\n{"zip":[1]}';
    expect(await resultOf(rows, '--format', 'ndjson', '--country', 'DE', '--add', 'city,latitude')).toBe(
      '{"zip":80331, "x": 1.0,"city":"München","latitude":48.3,"match":"exact"}\n' +
        ' {"zip":"9","city":null,"latitude":null,"match":"none"} \r\n\n' +
        '{"zip":[1],"city":null,"latitude":null,"match":"none"}',
    );
  });

  test('NDJSON: what is no object, or has a field to be added, passes through', async () => {
    const many = '{"zip":"80331"}\n'.repeat(5000);
    const odd = '[1]\n{"zip":\n{}\n"a"\nnull\n{"zip":"80331","city":1}\n';
    const args = ['--format', 'ndjson', '--country', 'DE', '--add', 'city', '--json'];
    const { out, errors } = await enrich(many + odd, ...args);
    expect(out).toBe('{"zip":"80331","city":"München","match":"exact"}\n'.repeat(5000) + odd);
    expect(JSON.parse(errors)).toMatchObject({ rows: 5006, bad: 6, matches: { exact: 5000, none: 0 } });
  });
});

describe('what a table has stays', () => {
  test('byte order mark, CRLF, quotes and spaces; cells that need it are quoted', async () => {
    const table = '\ufeff"plz", name\r\n22103,"a ""b"",\r\nc"\r\n"22107", d';
    expect(await resultOf(table, '--country', 'AX', '--add', 'city')).toBe(
      '\ufeff"plz", name,city,match\r\n22103,"a ""b"",\r\nc","Mariehamn ""Maarian\\hamina""",exact\r\n"22107", d,aland,exact',
    );
  });

  test('where all cells of the header are quoted, added cells are', async () => {
    expect(await resultOf('"plz","n"\n"80331","x"\n', '--country', 'DE', '--add', 'city')).toBe(
      '"plz","n","city","match"\n"80331","x","München","exact"\n',
    );
  });

  test('a column that is called as an added one', async () => {
    expect(await resultOf('plz,city,match,match_2\n80331,a,b,c\n', '--country', 'DE', '--add', 'city')).toBe(
      'plz,city,match,match_2,city_2,match_3\n80331,a,b,c,München,exact\n',
    );
    const row = '{"zip":"80331","city":"x"}\n';
    expect(await resultOf(row, '--format', 'ndjson', '--country', 'DE', '--add', 'city')).toBe(
      '{"zip":"80331","city":"x","city_2":"München","match":"exact"}\n',
    );
  });

  test('the line of the first quote that is not closed is told, behind rows of several lines too', async () => {
    const table = '"plz",n\n80331,"a\nb"\n80331\n80331,"a\nb","c\n80331,"d\n';
    const { out, errors } = await enrich(table, '--country', 'DE', '--add', 'city');
    expect(errors).toContain('Line 6 opens a quote');
    expect(out).toContain('80331,"a\nb",München,exact\n80331\n80331,"a\nb","c\n80331,"d\n');
    const report = JSON.parse((await enrich(table, '--country', 'DE', '--json')).errors);
    expect(report).toMatchObject({ rows: 5, bad: 4, openQuoteLine: 6 });
    expect(JSON.parse((await enrich('plz\n1\n', '--country', 'DE', '--json')).errors).openQuoteLine).toBeNull();
  });

  test('bad rows, and rows with bytes that are not UTF-8 far from the start', async () => {
    const many = '80331,x\n'.repeat(20_000);
    const odd = Buffer.concat([
      Buffer.from('plz,n\n80331\n80331,"x\n'),
      Buffer.from(many),
      Buffer.from('80331,\xfc\n', 'latin1'),
    ]);
    const options = ['--format', 'csv', '--snapshot', snapshotPath(), '--country', 'DE', '--add', 'city'];
    const { exitCode } = await runEnrich(['-', ...options, '--out', join(folderPath(), 'bad.csv')], { stdin: odd });
    expect(exitCode).toBe(0);
    const expected = ['plz,n,city,match\n80331\n80331,"x\n', many.replaceAll(',x', ',x,München,exact'), '80331,\xfc\n'];
    const [start, middle, end] = expected.map((text, index) => Buffer.from(text, index === 2 ? 'latin1' : 'utf8'));
    expect(readFileSync(join(folderPath(), 'bad.csv')).equals(Buffer.concat([start, middle, end] as Buffer[]))).toBe(
      true,
    );
  });
});

test('a part of a city has the city, its people and its id beside its own name, in the language asked for', async () => {
  const fixture = await buildFixtureSnapshot(NAMED_ROWS);
  const fields = 'city,locality,population,city_id,id,latitude';
  const run = async (...args: string[]): Promise<string[][]> => {
    const options = ['--snapshot', fixture.path, '--format', 'csv', '--country', 'DE', '--add', fields, ...args];
    const { out } = await runEnrich(['-', ...options], { stdin: 'plz\n80331\n80801\n' });
    return out.split('\n').map((line) => line.split(','));
  };
  try {
    const [, city = [], part = []] = await run();
    expect(city.slice(1, 4)).toEqual(['München', 'München', '1200000']);
    expect(part.slice(1, 4)).toEqual(['München', 'Schwabing', '1200000']);
    expect([part[4], part[6]]).toEqual([city[5], '48.16']);
    expect(part[5]).not.toBe(part[4]);
    expect((await run('--lang', 'ru'))[2]?.slice(1, 3)).toEqual(['Мюнхэн', 'Schwabing']);
  } finally {
    fixture.cleanup();
  }
});

test('an added text that a spreadsheet would run gets a quote before it; numbers and own cells stay', async () => {
  const formula = '=HYPERLINK("http://x")';
  const fixture = await buildFixtureSnapshot({
    AD: [
      ['AD100', formula, '', '', '', -33.9, -1.5],
      ['AD200', '@Vall', '', '', '', 42.5, 1.5],
    ],
  });
  try {
    const run = async (format: string, ...args: string[]): Promise<string> => {
      const stdin =
        format === 'ndjson'
          ? '{"zip":"AD100"}\n'
          : 'zip,own\nAD100,=1\nAD200,@x\n'.replaceAll(',', format === 'tsv' ? '\t' : ',');
      const options = ['--snapshot', fixture.path, '--format', format, '--country', 'AD', '--add', 'city,latitude'];
      return (await runEnrich(['-', ...options, ...args], { stdin })).out;
    };
    const quoted = formula.replaceAll('"', '""');
    expect(await run('csv')).toBe(
      `zip,own,city,latitude,match\nAD100,=1,"'${quoted}",-33.9,exact\nAD200,@x,'@Vall,42.5,exact\n`,
    );
    expect(await run('tsv')).toContain(`AD100\t=1\t"'${quoted}"\t-33.9\texact\n`);
    expect(await run('csv', '--raw-cells')).toContain(`AD100,=1,"${quoted}",-33.9,exact\nAD200,@x,@Vall,42.5,exact\n`);
    expect(JSON.parse(await run('ndjson')).city).toBe(formula);
  } finally {
    fixture.cleanup();
  }
});

describe('how rows are found', () => {
  test.each([
    ['80331', 'DE', 'exact'],
    ['80331', 'de', 'exact'],
    ['80331', 'DEU', 'exact'],
    ['80331', 'Deutschland', 'exact'],
    ['80331', ' Germany ', 'exact'],
    ['D-80331', 'DE', 'normalised'],
    [' 80331', 'DE', 'normalised'],
    ['sw1a1aa', 'United Kingdom', 'normalised'],
    ['M9 1AA', 'UK', 'partial'],
    ['99999', 'DE', 'none'],
    ['80331', 'Atlantis', 'none'],
    ['80331', '', 'none'],
    ['', 'DE', 'none'],
    ['80331', 'FR', 'none'],
    ['803318033180331803318', 'DE', 'none'],
  ])('%s in %s: %s', async (code, country, match) => {
    const out = await resultOf(`plz,land\n${code},${country}\n`, '--add', 'city');
    expect(out.split('\n')[1]?.split(',')[3]).toBe(match);
  });

  test('--country is the country of rows without one in the column that is named', async () => {
    const table = 'plz,land\n80331,\nAD100,AD\n';
    expect(await resultOf(table, '--country', 'Germany', '--country-column', 'LAND', '--add', 'country_code')).toBe(
      'plz,land,country_code,match\n80331,,DE,exact\nAD100,AD,AD,exact\n',
    );
  });

  test('--reverse: the nearest place, with decimal points or commas', async () => {
    const table = 'lat;lng\n48.1345;11.571\n"42,5";1,5\n0;0\n91;0\nx;\n';
    expect(await resultOf(table, '--reverse', 'lat,lng', '--add', 'city,postcode,distance_km')).toBe(
      'lat;lng;city;postcode;distance_km;match\n48.1345;11.571;München;80331;0;nearest\n' +
        '"42,5";1,5;Andorra la Vella;AD500;0;nearest\n0;0;;;;none\n91;0;;;;none\nx;;;;;none\n',
    );
  });

  test('--reverse: in the country that contains the position, and the report names one without data', async () => {
    const table = 'lat,lng\n42.5,1.7\n42.5,1.8\n';
    expect(await resultOf(table, '--reverse', 'lat,lng', '--add', 'country_code')).toBe(
      'lat,lng,country_code,match\n42.5,1.7,AD,nearest\n42.5,1.8,,none\n',
    );
    const { errors } = await enrich(table, '--reverse', 'lat,lng', '--json');
    expect(JSON.parse(errors).absentCountries).toMatchObject([{ rows: 1, code: 'FR' }]);
  });

  test('--reverse: the report asks about the columns where most positions are far from every place', async () => {
    const [table, hint] = [
      'lat,lng\n48.1345,11.571\n42.5,1.5\n0,0\n',
      'is "lng" the latitude and "lat" the longitude?',
    ];
    expect((await enrich(table, '--reverse', 'lng,lat')).errors).toContain('far from every place');
    expect((await enrich(table, '--reverse', 'lng,lat')).errors).toContain(hint);
    expect(JSON.parse((await enrich(table, '--reverse', 'lng,lat', '--json')).errors).hint).toContain(hint);
    expect((await enrich(table, '--reverse', 'lat,lng')).errors).not.toContain('Most positions');
    expect(JSON.parse((await enrich(table, '--reverse', 'lat,lng', '--json')).errors).hint).toBe(null);
    expect((await enrich('plz\n1\n', '--country', 'DE')).errors).not.toContain('Most positions');
  });

  test('a line break in a quoted name, and columns of one name that are no keys', async () => {
    expect(await resultOf('"a\rb",n,n,plz\n1,2,3,80331\n', '--country', 'DE', '--add', 'city')).toBe(
      '"a\rb",n,n,plz,city,match\n1,2,3,80331,München,exact\n',
    );
  });

  test('--text: the last line of an address', async () => {
    const table = 'to\n"Some Street 1\n80331 München\n"\nCanillo\nD-80331 München\nqqqq\n!\n';
    expect(await resultOf(table, '--text', 'to', '--add', 'city,postcode')).toBe(
      'to,city,postcode,match\n"Some Street 1\n80331 München\n",München,80331,exact\nCanillo,Canillo,,partial\n' +
        'D-80331 München,München,80331,exact\nqqqq,,,none\n!,,,none\n',
    );
  });

  test('columns of addresses and countries are guessed, and rows of the packaged data are found', async () => {
    const table = 'Adresse,Land\n"Königstr. 1\n90402 Nürnberg\nGermany",\n"Church St, Boston, MA",US\nn/a,US\n';
    const { out, errors } = await runEnrich(['-', '--format', 'csv', '--add', 'city,postcode'], { stdin: table });
    expect(errors).toContain('address from "Adresse", country from "Land"');
    // Boston has many codes, and the address none.
    expect(out).toBe(
      'Adresse,Land,city,postcode,match\n"Königstr. 1\n90402 Nürnberg\nGermany",,Nürnberg,90402,exact\n' +
        '"Church St, Boston, MA",US,Boston,,partial\nn/a,US,,,none\n',
    );
  });

  test('rows of countries without data are counted apart, and named', async () => {
    const table = 'plz,land\n80331,DE\n75001,FR\n75002,France\n1,United States\n99999,DE\n,FR\n';
    const report = JSON.parse((await enrich(table, '--json')).errors);
    expect(report).toMatchObject({ rows: 6, empty: 1, matches: { exact: 1, none: 4 } });
    expect(report.absentCountries).toEqual([
      { code: 'FR', name: 'France', rows: 2 },
      { code: 'US', name: 'United States', rows: 1 },
    ]);
    const { errors } = await enrich(table);
    expect(errors).toMatch(/\nnone: country not in this snapshot +3 /);
    expect(errors).toContain('\n3 rows: France and United States are not in this snapshot\n');
    const addresses = await enrich('address\n"Rue X 1, Lyon, France"\n', '--json');
    expect(JSON.parse(addresses.errors).absentCountries).toEqual([{ code: 'FR', name: 'France', rows: 1 }]);
  });

  test('names of no country are counted, and told', async () => {
    const table = 'plz,land\n80331,DE\n75001,Frnce\n75002,Frnce\n1,"No ""where"\n';
    const report = JSON.parse((await enrich(table, '--json')).errors);
    expect(report).toMatchObject({
      matches: { exact: 1, none: 3 },
      unknownCountries: {
        rows: 3,
        frequent: [
          { value: 'Frnce', count: 2 },
          { value: 'No "where', count: 1 },
        ],
      },
      absentCountries: [],
    });
    expect((await enrich(table)).errors).toContain('\n3 rows: no country is called "Frnce", "No \\"where"\n');
    expect((await enrich('plz,land\n80331,DE\n')).errors).not.toContain('no country');
  });

  test('every field', async () => {
    const out = await resultOf('plz\nAD101\nAD999\n', '--country', 'AD', '--add', FIELD_NAMES.join(), '--json');
    const [names, cells, missing] = out.split('\n').map((line) => line.split(','));
    const row = Object.fromEntries((names ?? []).map((name, index) => [name, cells?.[index]]));
    expect(row).toMatchObject({
      ...{
        city: 'Soldeu',
        locality: 'Soldeu',
        local_name: 'Soldeu',
        type: 'locality',
        municipality: 'Soldeu',
        district: 'Vall',
      },
      ...{ state: 'Canillo', country_code: 'AD', country_alpha3: 'AND', country_name: 'Andorra', postcode: 'AD101' },
      ...{ latitude: '42.57', longitude: '1.66', distance_km: '', population: '', timezone: 'Europe/Andorra' },
      place_count: '1',
    });
    for (const name of ['id', 'city_id', 'state_id', 'district_id', 'municipality_id'])
      expect(row[name]).toMatch(/^[\da-f-]{36}$/);
    expect(row.url).toContain(row.path);
    expect(missing?.slice(1)).toEqual([...FIELD_NAMES.map(() => ''), 'none']);
  });

  test('the ten most frequent misses', async () => {
    const codes = Array.from({ length: 12 }, (_, number) =>
      Array.from({ length: number + 1 }, () => `9${number}`),
    ).flat();
    const { errors } = await enrich(`plz,land\n${codes.map((code) => `${code},DE\n`).join('')},DE\n`, '--json');
    const report = JSON.parse(errors);
    expect(report).toMatchObject({ rows: 79, empty: 1, matches: { none: 78 } });
    expect(report.frequentMisses).toHaveLength(10);
    expect(report.frequentMisses.slice(0, 2)).toEqual([
      { value: 'DE 911', count: 12 },
      { value: 'DE 910', count: 11 },
    ]);
  });
});

test('full codes, in a column or in an address, give the place with their own position', async () => {
  const fixture = await buildFixtureSnapshot({
    GB: [
      ['SW1A', 'Westminster Abbey', 'England', 'Greater London', '', 51.5018, -0.1328],
      ['SW1A', 'Whitehall', 'England', 'Greater London', '', 51.504, -0.127],
      ['M1', 'Manchester', 'England', 'Greater Manchester', '', 53.47, -2.23],
    ],
    GB_full: [lineOf('GB', ['SW1A 2AA', 'Whitehall', 'England', '', '', 51.5034, -0.1276])],
  });
  const enrichWith = async (table: string, ...args: string[]): Promise<string> => {
    const added = ['--add', 'city,postcode,latitude,longitude'];
    const run = await runEnrich(['-', '--snapshot', fixture.path, '--format', 'csv', ...added, ...args], {
      stdin: table,
    });
    return run.out;
  };
  try {
    const codes = 'zip\nSW1A 2AA\nsw1a2aa\nM1 9ZZ\nSW1A\nZE1 9ZZ\n';
    expect(await enrichWith(codes, '--country', 'GB')).toBe(
      'zip,city,postcode,latitude,longitude,match\n' +
        'SW1A 2AA,Whitehall,SW1A 2AA,51.5034,-0.1276,exact\n' +
        'sw1a2aa,Whitehall,SW1A 2AA,51.5034,-0.1276,normalised\n' +
        'M1 9ZZ,Manchester,M1,53.47,-2.23,partial\n' +
        'SW1A,Westminster Abbey,SW1A,51.5018,-0.1328,exact\n' +
        'ZE1 9ZZ,,,,,none\n',
    );
    const lines = 'address\n"10 Downing Street, Whitehall SW1A 2AA"\n"10 Downing Street, Whitehall, sw1a2aa, UK"\n';
    const enriched = await enrichWith(lines, '--text', 'address');
    expect(enriched.match(/Whitehall,SW1A 2AA,51.5034,-0.1276,/g)).toHaveLength(2);
  } finally {
    fixture.cleanup();
  }
});

describe('codes in tables', () => {
  let fixture: FixtureSnapshot;
  beforeAll(async () => {
    fixture = await buildFixtureSnapshot({
      ...BLOCK_ROWS,
      DE: [['01067', 'Dresden', 'Sachsen', '', '', 51.05, 13.74]],
    });
  });
  afterAll(() => fixture?.cleanup());
  const enrichCodes = (table: string, ...args: string[]) =>
    runEnrich(['-', '--snapshot', fixture.path, '--format', 'csv', ...args], { stdin: table });

  test('an inferred code gives its town, and no code', async () => {
    const fields = ['--add', 'city,locality,state,country_code,postcode,place_count,latitude'];
    const { out, errors } = await enrichCodes('zip,country\n01310-100,BR\n00-950,PL\n08010-000,BR\n', ...fields);
    expect(out.split('\n').slice(1, 4)).toEqual([
      '01310-100,BR,São Paulo,São Paulo,Sao Paulo,BR,,,52,inferred',
      '00-950,PL,Warszawa,Warszawa,Mazowieckie,PL,,,52,inferred',
      '08010-000,BR,,,,,,,,none',
    ]);
    expect(errors).toMatch(/\ninferred +2 /);
  });

  test('a row without a country has the one that alone writes its code so', async () => {
    const table = 'zip,country\n00-002,\n00002,\n00-002,Atlantis\n';
    const { out } = await enrichCodes(table, '--add', 'country_code');
    expect(out.split('\n').slice(1, 4)).toEqual(['00-002,,PL,exact', '00002,,,none', '00-002,Atlantis,,none']);
  });

  test('zeros that a column of numbers lost are put back and counted', async () => {
    const table = 'zip,country\n1067,DE\n2,PL\n899,PL\n1001,PL\n1310100,BR\n1000000,BR\n01067,DE\n999,DE\n';
    const { out, errors } = await enrichCodes(table, '--add', 'city,postcode');
    expect(out.split('\n').slice(1, 9)).toEqual([
      '1067,DE,Dresden,01067,normalised',
      '2,PL,,,none',
      '899,PL,Warszawa,00-899,normalised',
      '1001,PL,Warszawa,01-001,normalised',
      '1310100,BR,São Paulo,,inferred',
      '1000000,BR,São Paulo,01000-000,normalised',
      '01067,DE,Dresden,01067,exact',
      '999,DE,,,none',
    ]);
    expect(errors).toContain('\n5 rows: zeros put back before the postal code, such as 01067 for 1067.\n');
    const report = JSON.parse((await enrichCodes(table, '--json')).errors);
    expect(report).toMatchObject({ lostZeros: 5, matches: { exact: 1, normalised: 4, inferred: 1, none: 2 } });
  });
});
