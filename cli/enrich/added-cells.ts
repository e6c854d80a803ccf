/** What is added to a row, from its key cells. Rows with the same cells are looked up once as long as the cache has them. */

import { type ByteString, decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { inLanguages } from '../../src/core/snapshot/in-languages.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { createFieldReader, type FieldName } from './added-fields.js';
import { createCountryOfCell } from './country-of-cell.js';
import type { TablePlan } from './plan-table.js';
import { RecentCache } from './recent-cache.js';
import { FINDERS, NOTHING_FOUND } from './row-finders.js';
import type { Counted } from './tally.js';

/** Maximum number of rows in the cache: some 330 bytes each, 43 MB in all. */
const CACHED_ROWS = 131_072;

interface Addition {
  readonly text: ByteString;
  readonly counted: Counted;
  /** The cells to report as a miss, if they lead to nothing. */
  readonly miss: string | undefined;
  /** The country of the row, if it has no data. */
  readonly absent: Country | undefined;
  /** Whether zeros were put back before the postal code. */
  readonly hadLostZeros: boolean;
  /** Whether the postal code of an address is not one of its town. */
  readonly isCodeElsewhere: boolean;
}

interface AdderOptions {
  readonly fields: readonly FieldName[];
  /** The languages of names: tags separated by commas. */
  readonly lang?: string | undefined;
  /** Of rows without a country in a column. */
  readonly country: Country | undefined;
}

/** A function of the key cells of a row. */
export function createCellAdder(
  snapshot: Snapshot,
  { kind, reader, hasCountryColumn }: Pick<TablePlan, 'kind' | 'reader' | 'hasCountryColumn'>,
  { fields, lang, country: fallback }: AdderOptions,
): (keys: readonly ByteString[]) => Addition {
  const find = FINDERS[kind](snapshot);
  const readFields = createFieldReader(lang === undefined ? snapshot : inLanguages(snapshot, lang), fields);
  const countryOfCell = createCountryOfCell(snapshot);
  const nothing = fields.map(() => null);
  const known = new RecentCache<Addition>(CACHED_ROWS);

  const add = (keys: readonly ByteString[]): Addition => {
    const cells = keys.map(decodeUtf8);
    const countryCell = hasCountryColumn ? (cells.pop() as string).trim() : '';
    const country = countryCell === '' ? fallback : countryOfCell(countryCell);
    const isLost = countryCell !== '' && country === undefined;
    const isEmpty = cells.some((cell) => cell.trim() === '');
    const finding = isEmpty || isLost ? NOTHING_FOUND : find(cells, country);
    const { match, found, hadLostZeros = false, isCodeElsewhere = false } = finding;
    const facts = { hadLostZeros, isCodeElsewhere };
    const values = found === undefined ? nothing : readFields(found);
    const text = reader.renderAdded([...values, match]);
    if (isEmpty) return { text, counted: 'empty', miss: undefined, absent: undefined, ...facts };
    const shownCountry = countryCell || (fallback?.entry.code ?? '');
    const miss = found === undefined ? [shownCountry, cells.join(', ')].join(' ').trim() : undefined;
    const absent = country !== undefined && country.structures === undefined ? country : finding.absent;
    return { text, counted: match, miss, absent, ...facts };
  };

  return (keys) => {
    const key = keys.length === 1 ? (keys[0] as string) : keys.join('\0');
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const addition = add(keys);
    known.set(key, addition);
    return addition;
  };
}
