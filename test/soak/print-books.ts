/** The books of a soak as text: one row for each key, then the sums that its claims are about. */
import { renderColumns } from '../../src/keys/cli/key-text.js';
import { count } from '../world/world.js';
import type { Books } from './books.js';
import type { Evidence } from './evidence.js';

const STATUSES = [200, 401, 429, 503];

export function printBooks(books: Books, evidence: Evidence, remarks: readonly (readonly [string, string])[]): void {
  const { exchanges, outages, kinds, quota } = evidence;
  const heading = ['KEY', 'KIND', 'SENT', ...STATUSES.map(String), 'OTHER', 'COUNTED', 'LOST'];
  const rows = books.rows.map(({ key, sent, byStatus, counted, lost }) => {
    const shown = STATUSES.map((status) => byStatus.get(status) ?? 0);
    const other = sent - shown.reduce((sum, each) => sum + each, 0);
    const figures = [sent, ...shown, other, counted, lost].map((each) => (each === null ? '-' : count(each)));
    return [key, kinds.get(key) ?? '', ...figures];
  });
  const waits = exchanges.map(({ waitedMs }) => waitedMs).sort((one, other) => one - other);
  const waitAt = (part: number) => `${(waits[Math.ceil(part * waits.length) - 1] ?? 0).toFixed(1)} ms`;
  const quotaRow = books.rows.find(({ key }) => kinds.get(key) === 'quota');
  const ended = outages.flat().filter(({ untilMs }) => untilMs !== Number.POSITIVE_INFINITY);
  const lines: (readonly [string, string])[] = [
    ...remarks,
    ['requests', count(exchanges.length)],
    ['waited', `p50 ${waitAt(0.5)}, p99 ${waitAt(0.99)}, longest ${waitAt(1)}`],
    ['lines "degraded"', `${outages.map((each) => each.length).join(' + ')} by server`],
    ['lines "recovered"', `${ended.length} in all`],
    ['lost', count(books.lost)],
    [
      'lost at most',
      `${count(books.confirmedBeforeKills)} answered in the last second before each kill, and ` +
        `${count(books.owedBeforeKills)} owed that were told in it`,
    ],
    [
      'quota',
      `${count(quotaRow?.answered ?? 0)} answered, at most ${count(quota)} + ${count(quotaRow?.lost ?? 0)} lost + ` +
        `${count(books.quotaFromMemory)} allowed from memory`,
    ],
    ['revoked midway', `${count(books.servedInGrace)} served within the grace by a server that could not know`],
    ...Object.entries(books.faults).map(([fault, found]) => [fault, count(found)] as const),
    ...books.examples.map((example) => ['example', example] as const),
  ];
  process.stdout.write(`\n${renderColumns([heading, ...rows])}\n${renderColumns(lines)}\n`);
}
