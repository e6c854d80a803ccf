/**
 * The page of the reference: contents, each call with its response, then the rules and limits of all calls, the common
 * responses, the clients and the schemas. The examples are answers of the served snapshot.
 */
import { slugOf } from '../../format/slug.js';
import type { DocsLibrary } from '../docs/docs-library.js';
import { renderBlocks } from '../docs/guide.js';
import type { NamedSchema, Operation, SharedAnswer } from '../docs/reference.js';
import { schemaAnchor } from '../docs/schema-shape.js';
import { type ContentsItem, docsTrail, fieldList, groupedContents } from '../html/document-parts.js';
import { type Html, html } from '../html/html.js';
import type { Page, PageContext, SiteAddresses } from '../page.js';
import { answerAnchor, describedFields, operationSection } from './reference-operation.js';

const COMMON = { id: 'common-responses', text: 'Common responses' };
const REQUESTS = { id: 'requests', text: 'Requests' };
const CLIENTS = { id: 'clients', text: 'Clients' };
const KEY = { id: 'get-a-key', text: 'Get a key' };

export interface ReferenceContext extends PageContext {
  readonly docs: DocsLibrary;
}

export function referencePage({ docs, site, data }: ReferenceContext): Page {
  const { title, version, summary, description, operations, sharedAnswers, schemas } = docs.reference;
  return {
    title: 'Reference',
    description: `Every call of ${title} with its response.`,
    canonicalPath: '/docs/reference',
    scripts: ['reference.js'],
    body: html`<article class="reference" data-api="${site.apiUrl}"${site.hasAccounts && html` data-accounts`}>
<header>${docsTrail(docs, '/docs/reference')}
<h1>Reference</h1>
<p class="lede">${title} ${version}. ${summary}</p></header>
${groupedContents([
  { title: 'Calls', items: callItems(operations.filter(({ isKeyed }) => isKeyed)) },
  { title: 'Calls without a key', items: callItems(operations.filter(({ isKeyed }) => !isKeyed)) },
  { title: 'Rules', items: ruleItems(description) },
  {
    title: 'Schemas',
    items: schemas.map(({ name }) => ({ href: `#${schemaAnchor(name)}`, text: name })),
  },
])}
<div class="calls">
${keySection(docs, site)}
${operations.map((operation) => operationSection(operation, data.snapshot, site))}
<div class="prose">
<h2 id="${REQUESTS.id}">${REQUESTS.text}</h2>
${renderBlocks(description)}
<p class="plan" hidden></p>
${commonSection(sharedAnswers)}
${clientsSection()}
<h2 id="schemas">Schemas</h2>
${schemas.map(schemaSection)}
</div></div>
</article>`,
  };
}

function callItems(operations: readonly Operation[]): ContentsItem[] {
  return operations.map(({ id, summary }) => ({ href: `#${slugOf(id)}`, text: summary }));
}

/** The headings of the description are sections of the page. */
function ruleItems(description: string): ContentsItem[] {
  const headings = [...description.matchAll(/^## (.+)$/gm)].map(([, text = '']) => ({ id: slugOf(text), text }));
  return [KEY, REQUESTS, ...headings, COMMON, CLIENTS].map(({ id, text }) => ({ href: `#${id}`, text }));
}

function keySection(docs: DocsLibrary, { hasAccounts, apiUrl }: SiteAddresses): Html {
  const guide = docs.findGuide('errors-and-limits');
  const how = hasAccounts
    ? html`<a href="/account">Sign in</a> to create a key and see its use.`
    : html`Ask the operator of this API for a key.`;
  return html`<section class="prose"><h2 id="${KEY.id}">${KEY.text}</h2>
<p>The address of the API is <code>${apiUrl}</code>. Each call sends a key in the header <code>x-api-key</code>, unless the call
says that it needs none. ${how}${guide !== undefined && html` <a href="${guide.path}">${guide.title}</a> explains what a key is and how requests count.`}</p>
<p class="plan" hidden></p></section>`;
}

/** The examples import clients that no registry has. */
function clientsSection(): Html {
  return html`<h2 id="${CLIENTS.id}">${CLIENTS.text}</h2>
<p>The examples in JavaScript and Python use the clients of the project. They are neither on npm nor on PyPI: install them
from a checkout of the project, here a folder called <code>postal-places</code> in which <code>npm ci --ignore-scripts</code> has run.</p>
<pre tabindex="0"><code class="copy">npm install ./postal-places/clients/typescript
pip install ./postal-places/clients/python</code></pre>`;
}

function commonSection(answers: readonly SharedAnswer[]): Html {
  return html`<h2 id="${COMMON.id}">${COMMON.text}</h2>
<p>Each call lists the responses of that call alone, and links to these by their status.</p>
${fieldList(
  answers.map(({ name, status, description }) => ({
    name: html`<code id="${answerAnchor(name)}">${status === '' ? name : `${status} ${name}`}</code>`,
    description: renderBlocks(description),
  })),
)}`;
}

function schemaSection({ name, description, fields }: NamedSchema): Html {
  return html`<section><h3 id="${schemaAnchor(name)}">${name}</h3>
${renderBlocks(description)}
${fieldList(describedFields(fields))}</section>`;
}
