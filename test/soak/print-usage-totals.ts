/** The usage totals of a soak as text: one row for each key, then the sums that its claims are about. */
import { renderTableColumns } from '../../cli/keys/key-tables.js';
import { count } from '../world/world.js';
import type { Course } from './course.js';
import type { UsageTotals } from './usage-totals.js';

const STATUSES = [200, 401, 429, 503];

export function printUsageTotals(
  title: string,
  totals: UsageTotals,
  { evidence, faultCount, durationMs }: Course,
): void {
  const { exchanges, outages, kills } = evidence;
  const heading = ['KEY', 'SENT', ...STATUSES.map(String), 'OTHER', 'COUNTED', 'UNCOUNTED'];
  const rows = totals.rows.map(({ key, sent, byStatus, counted, uncounted }) => {
    const shown = STATUSES.map((status) => byStatus.get(status) ?? 0);
    const other = sent - shown.reduce((sum, each) => sum + each, 0);
    return [key, ...[sent, ...shown, other, counted, uncounted].map((each) => (each === null ? '-' : count(each)))];
  });
  const waits = exchanges.map(({ waitedMs }) => waitedMs).sort((one, other) => one - other);
  const waitAt = (part: number) => `${(waits[Math.ceil(part * waits.length) - 1] ?? 0).toFixed(1)} ms`;
  const stall = `${evidence.longestStallMs.toFixed(1)} ms`;
  const recoveries = outages.map((each) => each.filter(({ untilMs }) => Number.isFinite(untilMs)).length);
  const lines = [
    ['course', `${title}, ${(durationMs / 1_000).toFixed(0)} s`],
    ['faults', `${faultCount}, ${kills.length} of them kills with restart`],
    ['requests', count(exchanges.length)],
    [
      'waited',
      `p50 ${waitAt(0.5)}, p99 ${waitAt(0.99)}, longest ${waitAt(1)}; the test itself stood still for up to ${stall}`,
    ],
    ['degraded', `${outages.map((each) => each.length).join(' + ')} lines, recovered ${recoveries.join(' + ')}`],
    ['from memory', `${count(totals.fromMemory)} surely, at most ${count(totals.mostFromMemory)}`],
    ['lost', `at least ${count(totals.lost)}`],
    ['lost at most', `${count(totals.riskOfKills)} answered in the last second before each kill`],
    [
      'and at most',
      `${count(totals.takenByPowerCuts)} that power cuts took` +
        (evidence.mayLoseUnwritten ? `, and ${count(totals.riskOfPlainKills)} before the other kills` : ''),
    ],
    ['revoked midway', `${count(totals.servedInGrace)} served in the grace by the server that could not know`],
    ...Object.entries(totals.violations).map(([violation, found]) => [violation, count(found)]),
    ...totals.examples.map((example) => ['example', example]),
  ];
  process.stdout.write(`\n${renderTableColumns([heading, ...rows])}\n${renderTableColumns(lines)}\n`);
}
