/** A key's requests by day and by month: bars, with the numbers in a table. */

import { dayNumber, dayOf, dayOfNumber, monthNumber, monthOf, monthOfNumber } from '../../keys/key/calendar.js';
import type { UsageCounts } from '../../keys/key/usage-counts.js';
import { formatNumber } from '../html/formats.js';
import { type Html, html } from '../html/html.js';
import { wideTable } from '../html/wide-table.js';

interface Bar {
  readonly name: string;
  readonly count: number;
}

const DAYS = 30;
const MONTHS = 12;
const [WIDTH, HEIGHT, GAP] = [600, 120, 3];

export function usageCharts({ days, months }: UsageCounts, nowMs: number): Html {
  const today = dayNumber(dayOf(nowMs));
  const thisMonth = monthNumber(monthOf(nowMs).name);
  const ofDays = lastBars(DAYS, (back) => dayOfNumber(today - back), days);
  const ofMonths = lastBars(MONTHS, (back) => monthOfNumber(thisMonth - back), months);
  return html`${chart('The last 30 days', 'Day', ofDays)}
${chart('The last 12 months', 'Month', ofMonths)}`;
}

function lastBars(count: number, nameOf: (back: number) => string, counts: ReadonlyMap<string, number>): Bar[] {
  return Array.from({ length: count }, (_, index) => {
    const name = nameOf(count - 1 - index);
    return { name, count: counts.get(name) ?? 0 };
  });
}

function chart(title: string, unit: string, bars: readonly Bar[]): Html {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = WIDTH / bars.length;
  const sum = bars.reduce((total, { count }) => total + count, 0);
  const used = bars.filter(({ count }) => count > 0);
  if (used.length === 0) return html`<p class="note">${title}: no requests yet.</p>`;
  return html`<figure class="chart"><figcaption>${title}: ${formatNumber(sum)} requests, at most ${formatNumber(most)} a ${unit.toLowerCase()}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}; the table has the numbers" preserveAspectRatio="none">
<path class="floor" d="M0 ${HEIGHT - 0.5}H${WIDTH}"/>
${bars.map(({ name, count }, at) => {
  const height = count === 0 ? 0 : Math.max(2, (count / most) * (HEIGHT - 2));
  return (
    count > 0 &&
    html`<rect x="${(at * step).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${(step - GAP).toFixed(1)}" height="${height.toFixed(1)}"><title>${name}: ${count}</title></rect>`
  );
})}
</svg>
<details><summary>As a table</summary>
${wideTable(
  title,
  html`<table><thead><tr><th scope="col">${unit}</th><th scope="col">Requests</th></tr></thead>
<tbody>${used.toReversed().map(({ name, count }) => html`<tr><th scope="row">${name}</th><td>${formatNumber(count)}</td></tr>`)}</tbody></table>`,
)}</details></figure>`;
}
