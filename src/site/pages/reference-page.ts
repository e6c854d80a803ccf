/**
 * The page of the reference: the API as a whole, how to get a key and a client, the common responses, each call
 * with its own parameters and answers, and the schemas.
 */
import { slugOf } from '../../format/slug.js';
import { type CallExample, listCallExamples } from '../docs/call-examples.js';
import type { DocsLibrary } from '../docs/docs-library.js';
import { renderBlocks, renderInline } from '../docs/guide.js';
import type { Operation, SharedAnswer } from '../docs/reference.js';
import { contents, DOCS, table } from '../html/document-parts.js';
import { type Content, type Html, html, joined } from '../html/html.js';
import { trail } from '../html/place-parts.js';
import type { Page, SiteAddresses } from '../page.js';

const SHARED = 'shared-answers';
const SHARED_HEADING = 'Common responses';

export function referencePage(docs: DocsLibrary, site: SiteAddresses): Page {
  const { title, version, description, operations, sharedAnswers, schemas } = docs.reference;
  return {
    title: 'Reference',
    description: `Every call of ${title}: parameters and answers.`,
    canonicalPath: '/docs/reference',
    body: html`${trail([DOCS])}
<article class="prose"><h1>${title} ${version}</h1>
${renderBlocks(description)}
${keySection(docs, site)}
${clientsSection()}
${contents([
  ...(sharedAnswers.length > 0 ? [{ href: `#${SHARED}`, text: SHARED_HEADING }] : []),
  ...operations.map(({ id, method, path }) => ({ href: `#${slugOf(id)}`, text: `${method} ${path}` })),
  { href: '#schemas', text: 'Schemas' },
])}
${sharedAnswers.length > 0 && sharedAnswersSection(sharedAnswers)}
${operations.map((operation) => operationSection(operation, site))}
<h2 id="schemas">Schemas</h2>
${schemas.map(
  ({ name, description: text, fields }) => html`<section><h3 id="schema-${slugOf(name)}">${name}</h3>
${renderBlocks(text)}
${table(
  `Fields of ${name}`,
  ['Field', 'Type', ''],
  fields.map((field) => [html`<code>${field.name}</code>`, field.shape, renderInline(field.description)]),
)}</section>`,
)}
</article>`,
  };
}

function keySection(docs: DocsLibrary, { hasAccounts }: SiteAddresses): Html {
  const guide = docs.findGuide('errors-and-limits');
  const how = hasAccounts
    ? html`<a href="/account">Sign in</a> to create a key and see its use.`
    : html`Ask the operator of this API for a key.`;
  return html`<h2 id="get-a-key">Get a key</h2>
<p>${how}${guide !== undefined && html` <a href="${guide.path}">${guide.title}</a> explains what a key is and how requests count.`}</p>`;
}

/** The examples import clients that no registry has. */
function clientsSection(): Html {
  return html`<h2 id="clients">Clients</h2>
<p>The examples in JavaScript and Python use the clients of the project. They are neither on npm nor on PyPI: install them
from a checkout of the project, here a folder called <code>postal-places</code> in which <code>npm ci</code> has run.</p>
<pre tabindex="0"><code class="copy">npm install ./postal-places/clients/typescript
pip install ./postal-places/clients/python</code></pre>`;
}

function sharedAnswersSection(answers: readonly SharedAnswer[]): Html {
  return html`<section><h2 id="${SHARED}">${SHARED_HEADING}</h2>
<p>The table of each call has the responses of that call alone, and links to these by their status.</p>
${table(
  SHARED_HEADING,
  ['Status', 'Name', ''],
  answers.map(({ name, status, description }) => [
    status,
    html`<code id="${anchorOf(name)}">${name}</code>`,
    renderBlocks(description),
  ]),
)}</section>`;
}

function anchorOf(name: string): string {
  return `answer-${slugOf(name)}`;
}

function operationSection(operation: Operation, { apiUrl }: SiteAddresses): Html {
  const { id, method, path, summary, description, parameters, responses, shared } = operation;
  return html`<section><h2 id="${slugOf(id)}"><code>${method} ${path}</code></h2>
${renderBlocks(summary)}${description !== summary && renderBlocks(description)}
${examples(slugOf(id), listCallExamples(operation, apiUrl))}
${table(
  'Parameters',
  ['Parameter', 'In', 'Value', ''],
  parameters.map(({ name, place, shape, isRequired, description: text }) => [
    html`<code>${name}</code>`,
    place,
    shape + (isRequired ? '' : shape === '' ? 'optional' : ', optional'),
    renderInline(text),
  ]),
)}
${table(
  'Answers',
  ['Status', 'Data', ''],
  responses.map(({ status, shape, description: text }) => [status, shape, renderBlocks(text)]),
)}${
  shared.length > 0 &&
  html`<p>Common responses: ${joined(
    shared.map(({ name, status: code }) => html`<a href="#${anchorOf(name)}" title="${name}">${code}</a>`),
    ', ',
  )}</p>`
}</section>`;
}

/** Of the examples of one call one is open: those with the same name close each other. */
function examples(group: string, list: readonly CallExample[]): Content {
  return list.map(
    ({ language, code }, index) => html`<details class="example" name="${group}"${index === 0 && html` open`}>
<summary>${language}</summary>
<pre tabindex="0"><code class="copy">${code}</code></pre>
</details>
`,
  );
}
