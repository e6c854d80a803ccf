/**
 * The page with the contents of all documents, and the page of a guide. The guide about clients ends with their files.
 */

import type { DocsLibrary } from '../docs/docs-library.js';
import { describedFirstCall, servedFirstCall } from '../docs/first-call.js';
import { type Html, html } from '../html/html.js';
import type { Page } from '../html/page.js';
import { wideTable } from '../html/wide-table.js';
import type { Assets, ClientPackage } from '../http/built-assets.js';
import { contents, type DocsContext, docsNav, docsNeighbours, docsTrail } from './docs-navigation.js';

export function docsPage({ sections }: DocsLibrary): Page {
  return {
    title: 'Documentation',
    description: 'Every call of the API, and how to run it yourself.',
    canonicalPath: '/docs',
    body: html`<h1>Documentation</h1>
<p class="lede">Postal codes and places from a call, a program or a command, and how to run the server yourself.</p>
<div class="columns">${sections.map(
      ({ id, title, entries }) => html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<ul class="guides">${entries.map(
        (entry) => html`<li><a href="${entry.path}">${entry.title}</a> <span>${entry.summary}</span></li>`,
      )}</ul></section>`,
    )}</div>`,
  };
}

/** The guide whose last section lists the files. */
const CLIENTS_GUIDE = 'clients';

export function guidePage(
  { docs, site, snapshot, assets }: DocsContext & { readonly assets: Pick<Assets, 'clients'> },
  name: string,
): Page | undefined {
  const guide = docs.findGuide(name);
  if (guide === undefined) return undefined;
  const { title, summary, path, sections } = guide;
  return {
    title,
    description: summary,
    canonicalPath: path,
    body: html`<div class="document"><article class="prose">${docsTrail(docs, path)}
<h1>${title}</h1>
<div class="lede">${guide.introduction}</div>
${
  sections.length > 3 && contents(sections.map((section) => ({ href: `#${section.id}`, text: section.title })))
}${guide.body(site, describedFirstCall(docs.reference), servedFirstCall(snapshot))}${name === CLIENTS_GUIDE && clientFiles(assets.clients)}
${docsNeighbours(docs, path)}</article>
${docsNav(docs, path)}</div>`,
  };
}

function clientFiles(clients: readonly ClientPackage[]): Html {
  const rows = clients.map(
    ({ name, byteCount, sha256 }) => html`<tr><td><a href="/docs/clients/${name}">${name}</a></td>
<td>${byteCount.toLocaleString('en')}\u00a0bytes</td><td><code>${sha256}</code></td></tr>`,
  );
  const head = html`<thead><tr><th>File</th><th>Size</th><th>SHA-256</th></tr></thead>`;
  return wideTable('Files', html`<table>${head}<tbody>${rows}</tbody></table>`);
}
