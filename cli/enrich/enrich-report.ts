/** The report of a finished run: for people, or as JSON. */

import { formatCount, formatNumberOf, formatShare } from '../../build-index/reporting/format-figures.js';
import { renderTable } from '../../build-index/reporting/report-text.js';
import { escapeUnprintable } from '../../src/base/escape-text.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { adviceOnNamedSnapshot, describeNotInSnapshot } from '../program/named-snapshot.js';
import type { TablePlan } from './plan-table.js';
import type { Tally } from './tally.js';

export interface RunFacts {
  readonly input: string;
  readonly plan: TablePlan;
  readonly tally: Tally;
  readonly seconds: number;
  readonly snapshot: Snapshot;
  /** Where the snapshot is, if it was named. */
  readonly source: string | undefined;
}

/** One line. */
export function renderJsonReport({ input, plan, tally, seconds, snapshot }: RunFacts): string {
  const { empty, bad, ...matches } = tally.counts;
  return JSON.stringify({
    input,
    keyColumns: plan.keys,
    addedColumns: plan.added,
    rows: tally.earlierRows + tally.rowCount,
    rowsBefore: tally.earlierRows,
    matches,
    empty,
    bad,
    lostZeros: tally.lostZeroRows,
    codesElsewhere: tally.codeElsewhereRows,
    openQuoteLine: tally.openQuoteLine ?? null,
    seconds: Number(seconds.toFixed(3)),
    frequentMisses: tally.frequentMisses,
    absentCountries: listAbsent(snapshot, tally).map(({ country: { entry }, rows }) => ({
      code: entry.code,
      name: entry.name,
      rows,
    })),
    hint: hintOf(plan, tally),
  });
}

const MEANINGS = {
  exact: 'exact',
  normalised: 'normalised',
  partial: 'partial',
  inferred: 'inferred',
  withdrawn: 'withdrawn',
  nearest: 'nearest',
  none: 'none',
  absent: 'none: country not in this snapshot',
  elsewhere: 'none: postal code not of its town',
  empty: 'none: no value to look up',
  bad: 'bad rows, passed through',
} as const;

/** Lines, each with its line feed. */
export function renderTextReport({ plan, tally, seconds, snapshot, source }: RunFacts): string {
  const { rowCount, earlierRows, frequentMisses } = tally;
  const absent = listAbsent(snapshot, tally);
  const absentRows = absent.reduce((sum, { rows }) => sum + rows, 0);
  const elsewhere = tally.codeElsewhereRows;
  const none = tally.counts.none - absentRows - elsewhere;
  const counts = { ...tally.counts, none, absent: absentRows, elsewhere };
  const rate = seconds === 0 ? '' : `, ${formatCount(Math.round(rowCount / seconds))} a second`;
  const before = earlierRows === 0 ? '' : ` (${formatCount(earlierRows)} of them before)`;
  const kinds = (Object.keys(MEANINGS) as (keyof typeof MEANINGS)[]).filter((kind) => counts[kind] > 0);
  const blocks = [`${formatNumberOf(earlierRows + rowCount, 'row')}${before} in ${seconds.toFixed(1)} s${rate}`];
  if (kinds.length > 0) {
    const rows = kinds.map((kind) => [MEANINGS[kind], formatCount(counts[kind]), formatShare(counts[kind], rowCount)]);
    blocks.push(renderTable(['match', 'rows', 'share'], rows));
  }
  if (frequentMisses.length > 0) {
    const rows = frequentMisses.map(({ value, count }) => [escapeUnprintable(value), formatCount(count)]);
    blocks.push(renderTable(['most frequent misses', 'rows'], rows));
  }
  if (absentRows > 0) {
    const sentence = describeNotInSnapshot(absent.map(({ country }) => country));
    blocks.push(`${formatNumberOf(absentRows, 'row')}: ${sentence}${adviceOnNamedSnapshot(source)}`);
  }
  if (tally.lostZeroRows > 0) {
    blocks.push(
      `${formatNumberOf(tally.lostZeroRows, 'row')}: zeros put back before the postal code, such as 01067 for 1067.`,
    );
  }
  if (tally.openQuoteLine !== undefined) {
    blocks.push(`Line ${tally.openQuoteLine} opens a quote that is not closed: its row, and those like it, are bad.`);
  }
  const hint = hintOf(plan, tally);
  if (hint !== null) blocks.push(hint);
  return `${blocks.join('\n\n')}\n`;
}

/** The countries without data and the numbers of their rows, the most rows first. */
function listAbsent(snapshot: Snapshot, { absent }: Tally): readonly { country: Country; rows: number }[] {
  return absent.map(([code, rows]) => ({ country: snapshot.countryByCode.get(code) as Country, rows }));
}

/** Swapped columns give positions in the sea, in another country or beyond a pole. */
function hintOf({ kind, keys }: TablePlan, { counts }: Tally): string | null {
  if (kind !== 'position' || counts.none <= counts.nearest) return null;
  const [lat, lng] = keys.map((name) => escapeUnprintable(JSON.stringify(name)));
  return `Most positions are far from every place of the snapshot: is ${lat} the latitude and ${lng} the longitude?`;
}
