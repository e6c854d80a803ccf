/** The dashboard: the account's keys, their use, recent activity, and every action. */

import type { Account } from '../../keys/accounts/account-record.js';
import { monthOf } from '../../keys/key/calendar.js';
import type { KeyEntry } from '../../keys/key/key-directory.js';
import type { KeyRecord } from '../../keys/key/key-record.js';
import { hasGoodKeyStatus } from '../../keys/key/key-status.js';
import type { Plan } from '../../keys/key/plan.js';
import type { Restrictions } from '../../keys/key/restrictions.js';
import { visitorRateUnit } from '../../keys/key/visitor-rate.js';
import { formatCounted, formatMinute, formatNumber } from '../html/formats.js';
import { type Html, html } from '../html/html.js';
import type { Page, SiteAddresses } from '../html/page.js';
import { wideTable } from '../html/wide-table.js';
import { accountPage, accountPageProblem } from './account-page.js';
import { NEW_FORM, type RefusedForm, restrictionFields, restrictionFormOf } from './restriction-form.js';
import { freshSignInForms, type SignInWays } from './sign-in-pages.js';
import { usageCharts } from './usage-charts.js';

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
  /** The same of publishable keys. */
  readonly mayMakePublishableKey: boolean;
  /** A key that is shown in clear this once. */
  readonly shown?: { readonly keyId: string; readonly clearKey: string } | undefined;
  readonly message?: string | undefined;
  readonly status?: number | undefined;
  /** A form that was refused, which is shown with what was typed. */
  readonly refused?: RefusedForm | undefined;
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
  const good = keys.filter(({ record }) => hasGoodKeyStatus(record, nowMs));
  const others = keys.filter((entry) => !good.includes(entry)).slice(0, OTHERS_SHOWN);
  const isSuspended = account.state === 'suspended';
  return accountPage(
    'Your account',
    html`<h1>Your account</h1>
<p class="lede">${account.email}</p>
${accountPageProblem(message)}
${isSuspended && html`<p class="problem">This account is suspended, and its keys are refused. Contact the operator of this site.</p>`}
${!isFresh && !isSuspended && html`<div class="fresh"><p>To show, replace or revoke a key, sign in again. A sign-in counts for ten minutes.</p>${freshSignInForms(account.email, ways)}</div>`}
${good.map((entry) => keySection(entry, options))}
${good.length === 0 && !isSuspended && html`<section><h2>Your key</h2><p>This account has no valid key.</p></section>`}
${options.mayMakeKey && !isSuspended && html`<form method="post" action="/account/keys"><button class="main">Create a key</button></form>`}
${options.mayMakePublishableKey && !isSuspended && newPublishableKey(options.refused)}
${others.length > 0 && otherKeys(others)}
${events(account)}
${closingSection(account, isFresh && !isSuspended)}`,
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
  return html`<section class="key" aria-labelledby="${id}"><h2 id="${id}">${headingOf(record)}: ${name}</h2>
${
  clearKey === undefined
    ? html`<div class="secret"><code>${record.restrictions === undefined ? 'pp_' : 'pp_pub_'}••••••••••••</code>
${isFresh && html`<form method="post" action="/account/keys/${id}/reveal"><button class="main">Show the key</button></form>`}</div>`
    : html`<div class="secret" data-hides="${SHOWN_SECONDS}"><code class="copy">${clearKey}</code></div>
<p class="note">The key is hidden again in ${SHOWN_SECONDS} seconds.</p>`
}
<dl class="facts">
<div><dt>ID</dt><dd><code class="copy">${id}</code></dd></div>
<div><dt>Plan</dt><dd>${record.plan}</dd></div>
<div><dt>State</dt><dd>${record.state === 'replaced' ? `replaced, valid until ${formatMinute(record.graceUntil ?? '')}` : record.state}</dd></div>
<div><dt>Created</dt><dd>${day(created)}</dd></div>
<div><dt>This month</dt><dd>${monthText(used, requestsPerMonth, month.endMs)}
${requestsPerMonth !== null && html`<br><meter min="0" max="${requestsPerMonth}" value="${used}" aria-label="Requests used this month"></meter>`}</dd></div>
${record.restrictions !== undefined && restrictionFacts(record.restrictions)}
</dl>
<h3>A first call</h3>
<pre tabindex="0"><code class="copy">${firstCall(record, clearKey ?? 'YOUR_KEY', `${site.apiUrl}${example}`)}</code></pre>
${clearKey === undefined && html`<p class="note">Your key takes the place of YOUR_KEY while it is shown.</p>`}
<h3>Usage</h3>
<div class="charts">${usageCharts(usage, nowMs)}</div>
${isFresh && keyForms(record, options.refused)}
</section>`;
}

/** "1,234 of 10,000 requests · resets on 1 December"; a plan may have no limit. */
function monthText(used: number, limit: number | null, resetMs: number): string {
  const reset = new Date(resetMs).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const requests =
    limit === null
      ? `${formatCounted(used, 'request')} (no limit)`
      : `${formatNumber(used)} of ${formatCounted(limit, 'request')}`;
  return `${requests} · resets on ${reset}`;
}

function headingOf({ state, restrictions }: KeyRecord): string {
  if (restrictions !== undefined) return state === 'replaced' ? 'Previous key for web pages' : 'Key for web pages';
  return state === 'replaced' ? 'Previous key' : 'Your key';
}

function restrictionFacts({ origins, operations, visitorRate }: Restrictions): Html {
  return html`<div><dt>Origins</dt><dd>${origins.map((origin, at) => html`${at > 0 && html`<br>`}<code>${origin}</code>`)}</dd></div>
<div><dt>Operations</dt><dd>${operations.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}</dd></div>
<div><dt>Each visitor</dt><dd>${formatCounted(visitorRate.requests, 'request')} a ${visitorRateUnit(visitorRate)}</dd></div>`;
}

/** A page calls with a key for web pages, a program with any other. */
function firstCall({ restrictions }: KeyRecord, key: string, url: string): Html {
  return restrictions === undefined
    ? html`curl -H 'x-api-key: ${key}' '${url}'`
    : html`await fetch('${url}', { headers: { 'x-api-key': '${key}' } })`;
}

function newPublishableKey(refused: RefusedForm | undefined): Html {
  const isOpen = refused !== undefined && refused.keyId === null;
  return html`<section class="acts"><h2>A key for web pages</h2>
<p>It may stand in the source of your pages: only pages of your origins can use it, for the calls that you choose, and each visitor only so often. A program can send any origin: the visitors’ rate and the month’s quota limit what it takes. The <a href="/docs/address-form">address form</a> uses such a key.</p>
<details${isOpen && html` open`}><summary>Create a key for web pages</summary>
<form method="post" action="/account/keys/publishable" class="fields">
${restrictionFields(null, NEW_FORM, refused)}
<button class="main">Create key</button>
</form></details></section>`;
}

function keyForms({ id, name, state, restrictions }: KeyRecord, refused: RefusedForm | undefined): Html {
  return html`<div class="acts">
${
  state === 'active' &&
  restrictions !== undefined &&
  html`<details${refused?.keyId === id && html` open`}><summary>Change origins and operations</summary>
<form method="post" action="/account/keys/${id}/restrict" class="fields">
${restrictionFields(id, restrictionFormOf(name, restrictions), refused)}
<button>Save</button>
</form></details>`
}
${
  state === 'active' &&
  html`<details><summary>Replace this key</summary>
<form method="post" action="/account/keys/${id}/replace" class="fields">
<label for="overlap-${id}">The old key expires</label>
<select id="overlap-${id}" name="overlap">${OVERLAPS.map(([seconds, text]) => html`<option value="${seconds}">${text}</option>`)}</select>
<button>Replace key</button>
<p class="note">The new key continues this month’s count.</p>
</form></details>`
}
<details><summary>Revoke this key</summary>
<form method="post" action="/account/keys/${id}/revoke" class="fields">
<label for="name-${id}">Revoking is permanent. To confirm, type the name of the key: ${name}</label>
<input id="name-${id}" name="name" required autocomplete="off" maxlength="100">
<button class="danger">Revoke key</button>
</form></details>
</div>`;
}

function otherKeys(entries: readonly KeyEntry[]): Html {
  return html`<section><h2>Previous keys</h2>${wideTable(
    'Previous keys',
    html`<table>
<thead><tr><th scope="col">Name</th><th scope="col">ID</th><th scope="col">Created</th><th scope="col">State</th></tr></thead>
<tbody>${entries.map(
      ({ record }) =>
        html`<tr><td>${record.name}</td><td><code>${record.id}</code></td><td>${day(record.created)}</td><td>${record.state}</td></tr>`,
    )}</tbody></table>`,
  )}</section>`;
}

function events({ events }: Account): Html {
  const latest = events.toReversed().slice(0, EVENTS_SHOWN);
  return html`<section><h2>Recent activity</h2><ul class="events">
${latest.map(({ at, act, keyId }) => html`<li><time datetime="${at}">${formatMinute(at)}</time> ${act === 'key made' ? 'key created' : act}${keyId !== null && html` <code>${keyId}</code>`}</li>`)}
</ul></section>`;
}

function closingSection({ email }: Account, mayClose: boolean): Html {
  return html`<section class="acts"><h2>Sign out or close the account</h2>
<div class="row"><form method="post" action="/account/sign-out"><button>Sign out</button></form>
<form method="post" action="/account/sign-out-everywhere"><button>Sign out everywhere</button></form></div>
${
  mayClose &&
  html`<details><summary>Close my account</summary>
<form method="post" action="/account/close" class="fields">
<label for="close">Your keys are revoked and your address is deleted. To confirm, type your address: ${email}</label>
<input id="close" name="email" type="email" required autocomplete="off" maxlength="254">
<button class="danger">Close my account</button>
</form></details>`
}</section>`;
}

function day(instant: string): Html {
  return html`<time datetime="${instant}">${instant.slice(0, 10)}</time>`;
}
