/** The dashboard: the account's key, its use, what happened lately, and everything that can be done. */
import type { Account } from '../../accounts/account.js';
import { isGood } from '../../accounts/account-keys.js';
import { monthOf } from '../../keys/calendar.js';
import type { KeyEntry } from '../../keys/key-directory.js';
import type { KeyRecord } from '../../keys/key-record.js';
import type { Plan } from '../../keys/plan.js';
import { type Html, html } from '../html/html.js';
import { formatNumber } from '../html/place-parts.js';
import type { Page, SiteAddresses } from '../page.js';
import { accountPage, freshForms, problem, type SignInWays } from './sign-in-pages.js';
import { minuteOf } from './times.js';
import { usageCharts } from './usage-chart.js';

export interface DashboardOptions {
  readonly account: Account;
  /** The newest first. */
  readonly keys: readonly KeyEntry[];
  readonly planOf: (name: string) => Plan;
  readonly isFresh: boolean;
  readonly ways: SignInWays;
  readonly nowMs: number;
  readonly site: SiteAddresses;
  /** The example of a first call, a path and query. */
  readonly example: string;
  /** Whether the account may have one more key. */
  readonly mayMakeKey: boolean;
  /** A key that is shown in clear this once. */
  readonly shown?: { readonly keyId: string; readonly clearKey: string } | undefined;
  readonly message?: string | undefined;
  readonly status?: number | undefined;
}

/** How long a clear key stays on the page. */
export const SHOWN_SECONDS = 60;
const OVERLAPS: readonly (readonly [number, string])[] = [
  [0, 'at once'],
  [60, 'in 1 minute'],
  [900, 'in 15 minutes'],
  [3_600, 'in 1 hour'],
  [86_400, 'in 24 hours'],
];
export const OVERLAP_SECONDS: readonly number[] = OVERLAPS.map(([seconds]) => seconds);
const OTHERS_SHOWN = 5;
const EVENTS_SHOWN = 10;

export function dashboardPage(options: DashboardOptions): Page {
  const { account, keys, isFresh, ways, nowMs, message, status } = options;
  const good = keys.filter(({ record }) => isGood(record, nowMs));
  const others = keys.filter((entry) => !good.includes(entry)).slice(0, OTHERS_SHOWN);
  const isSuspended = account.state === 'suspended';
  return accountPage(
    'Your account',
    html`<h1>Your account</h1>
<p class="lede">${account.email}</p>
${problem(message)}
${isSuspended && html`<p class="problem">This account is suspended: its keys are refused. Who runs this site can tell you why.</p>`}
${!isFresh && !isSuspended && html`<div class="fresh"><p>To show, replace or revoke a key, a sign-in of the last ten minutes is needed.</p>${freshForms(account.email, ways)}</div>`}
${good.map((entry) => keySection(entry, options))}
${good.length === 0 && !isSuspended && html`<section><h2>Your key</h2><p>This account has no key that is good.</p></section>`}
${options.mayMakeKey && !isSuspended && html`<form method="post" action="/account/keys"><button class="main">Make a key</button></form>`}
${others.length > 0 && otherKeys(others)}
${events(account)}
${leaving(account, isFresh && !isSuspended)}`,
    status,
  );
}

function keySection(entry: KeyEntry, options: DashboardOptions): Html {
  const { record, usage } = entry;
  const { nowMs, site, example, shown, isFresh, planOf } = options;
  const { id, name, created } = record;
  const clearKey = shown?.keyId === id ? shown.clearKey : undefined;
  const { requestsPerMonth } = planOf(record.plan);
  const month = monthOf(nowMs);
  const used = usage.months.get(month.name) ?? 0;
  const reset = new Date(month.endMs).toISOString().slice(0, 10);
  return html`<section class="key" aria-labelledby="${id}"><h2 id="${id}">${record.state === 'replaced' ? 'The key before it' : 'Your key'}: ${name}</h2>
${
  clearKey === undefined
    ? html`<div class="secret"><code>pp_••••••••••••</code>
${isFresh && html`<form method="post" action="/account/keys/${id}/reveal"><button class="main">Show the key</button></form>`}</div>`
    : html`<div class="secret" data-hides="${SHOWN_SECONDS}"><code class="copy">${clearKey}</code></div>
<p class="note">It is hidden again in ${SHOWN_SECONDS} seconds.</p>`
}
<dl class="facts">
<div><dt>Id</dt><dd><code class="copy">${id}</code></dd></div>
<div><dt>Plan</dt><dd>${record.plan}</dd></div>
<div><dt>State</dt><dd>${record.state === 'replaced' ? `replaced, good until ${minuteOf(record.graceUntil ?? '')}` : record.state}</dd></div>
<div><dt>Made</dt><dd>${day(created)}</dd></div>
<div><dt>This month</dt><dd>${formatNumber(used)} of ${requestsPerMonth === null ? 'any number of' : formatNumber(requestsPerMonth)} requests; anew on ${reset}
${requestsPerMonth !== null && html`<br><meter min="0" max="${requestsPerMonth}" value="${used}" aria-label="Requests used this month"></meter>`}</dd></div>
</dl>
<h3>A first call</h3>
<pre tabindex="0"><code class="copy">curl -H 'x-api-key: ${clearKey ?? 'YOUR_KEY'}' '${site.apiUrl}${example}'</code></pre>
${clearKey === undefined && html`<p class="note">Once the key is shown it stands here for YOUR_KEY.</p>`}
<h3>Use</h3>
<div class="charts">${usageCharts(usage, nowMs)}</div>
${isFresh && keyForms(record)}
</section>`;
}

function keyForms({ id, name, state }: KeyRecord): Html {
  return html`<div class="acts">
${
  state === 'active' &&
  html`<details><summary>Replace this key</summary>
<form method="post" action="/account/keys/${id}/replace" class="fields">
<label for="overlap-${id}">The old key stops being good</label>
<select id="overlap-${id}" name="overlap">${OVERLAPS.map(([seconds, text]) => html`<option value="${seconds}">${text}</option>`)}</select>
<button>Replace it</button>
<p class="note">The new key goes on with this month's count.</p>
</form></details>`
}
<details><summary>Revoke this key</summary>
<form method="post" action="/account/keys/${id}/revoke" class="fields">
<label for="name-${id}">To refuse it for good, type its name: ${name}</label>
<input id="name-${id}" name="name" required autocomplete="off" maxlength="100">
<button class="danger">Revoke it</button>
</form></details>
</div>`;
}

function otherKeys(entries: readonly KeyEntry[]): Html {
  return html`<section><h2>Earlier keys</h2><div class="wide"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Id</th><th scope="col">Made</th><th scope="col">State</th></tr></thead>
<tbody>${entries.map(
    ({ record }) =>
      html`<tr><td>${record.name}</td><td><code>${record.id}</code></td><td>${day(record.created)}</td><td>${record.state}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function events({ events }: Account): Html {
  const latest = events.toReversed().slice(0, EVENTS_SHOWN);
  return html`<section><h2>What happened lately</h2><ul class="events">
${latest.map(({ at, act, keyId }) => html`<li><time datetime="${at}">${minuteOf(at)}</time> ${act}${keyId !== null && html` <code>${keyId}</code>`}</li>`)}
</ul></section>`;
}

function leaving({ email }: Account, mayClose: boolean): Html {
  return html`<section class="acts"><h2>Leaving</h2>
<div class="row"><form method="post" action="/account/sign-out"><button>Sign out</button></form>
<form method="post" action="/account/sign-out-everywhere"><button>Sign out everywhere</button></form></div>
${
  mayClose &&
  html`<details><summary>Close my account</summary>
<form method="post" action="/account/close" class="fields">
<label for="close">The key is revoked and your address deleted. To do so, type your address: ${email}</label>
<input id="close" name="email" type="email" required autocomplete="off" maxlength="254">
<button class="danger">Close my account</button>
</form></details>`
}</section>`;
}

function day(instant: string): Html {
  return html`<time datetime="${instant}">${instant.slice(0, 10)}</time>`;
}
