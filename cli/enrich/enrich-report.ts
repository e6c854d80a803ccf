/** The report of a finished run: for people, or as JSON. */
import { formatCount, formatNumberOf, formatShare, renderTable } from '../../build-index/reporting/tables.js';
import { escapeUnprintable } from '../../src/unprintable.js';
import type { TablePlan } from './plan-table.js';
import type { Tally } from './tally.js';

export interface RunFacts {
  readonly input: string;
  readonly plan: TablePlan;
  readonly tally: Tally;
  readonly seconds: number;
  /** Rows of an interrupted run before this one. */
  readonly earlierRows: number;
}

/** One line. */
export function renderJsonReport({ input, plan, tally, seconds, earlierRows }: RunFacts): string {
  const { empty, bad, ...matches } = tally.counts;
  return JSON.stringify({
    input,
    keyColumns: plan.keys,
    addedColumns: plan.added,
    rows: tally.rowCount,
    rowsBefore: earlierRows,
    matches,
    empty,
    bad,
    seconds: Number(seconds.toFixed(3)),
    frequentMisses: tally.frequentMisses,
    hint: hintOf(plan, tally),
  });
}

const MEANINGS = {
  exact: 'exact',
  normalised: 'normalised',
  partial: 'partial',
  nearest: 'nearest',
  none: 'none',
  empty: 'none: no value to look up',
  bad: 'bad rows, passed through',
} as const;

/** Lines, each with its line feed. */
export function renderTextReport({ plan, tally, seconds, earlierRows }: RunFacts): string {
  const { rowCount, counts, frequentMisses } = tally;
  const rate = seconds === 0 ? '' : `, ${formatCount(Math.round((rowCount - earlierRows) / seconds))} a second`;
  const before = earlierRows === 0 ? '' : ` (${formatCount(earlierRows)} of them before)`;
  const kinds = (Object.keys(MEANINGS) as (keyof typeof MEANINGS)[]).filter((kind) => counts[kind] > 0);
  const blocks = [`${formatNumberOf(rowCount, 'row')}${before} in ${seconds.toFixed(1)} s${rate}`];
  if (kinds.length > 0) {
    const rows = kinds.map((kind) => [MEANINGS[kind], formatCount(counts[kind]), formatShare(counts[kind], rowCount)]);
    blocks.push(renderTable(['match', 'rows', 'share'], rows));
  }
  if (frequentMisses.length > 0) {
    const rows = frequentMisses.map(({ value, count }) => [escapeUnprintable(value), formatCount(count)]);
    blocks.push(renderTable(['most frequent misses', 'rows'], rows));
  }
  const hint = hintOf(plan, tally);
  if (hint !== null) blocks.push(hint);
  return `${blocks.join('\n\n')}\n`;
}

/** Swapped columns give positions in the sea, in another country or beyond a pole. */
function hintOf({ kind, keys }: TablePlan, { counts }: Tally): string | null {
  if (kind !== 'position' || counts.none <= counts.nearest) return null;
  const [lat, lng] = keys.map((name) => escapeUnprintable(JSON.stringify(name)));
  return `Most positions are far from every place of the snapshot: is ${lat} the latitude and ${lng} the longitude?`;
}
