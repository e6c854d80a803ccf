/** The pages of the documents: their list, a guide, the reference of the API, and the console that calls it. */
import { slugOf } from '../../format/slug.js';
import { type CallExample, listCallExamples } from '../docs/call-examples.js';
import type { DocsLibrary } from '../docs/docs-library.js';
import { renderBlocks, renderInline } from '../docs/guide.js';
import type { Operation } from '../docs/reference.js';
import { type Content, type Html, html } from '../html/html.js';
import { trail } from '../html/place-parts.js';
import type { Page, SiteAddresses } from '../page.js';

const DOCS = { name: 'Docs', path: '/docs' };

export function docsPage({ guides }: DocsLibrary): Page {
  return {
    title: 'Documentation',
    description: 'Every call of the API, and how to run it yourself.',
    canonicalPath: '/docs',
    body: html`<h1>Documentation</h1>
<ul class="guides"><li><a href="/docs/reference">Reference</a> <span>every call, its parameters and answers</span></li>
<li><a href="/docs/console">Console</a> <span>calls from this page, with your key</span></li></ul>
<h2>Guides</h2>
<ul class="guides">${guides.map(
      ({ title, path, summary }) => html`<li><a href="${path}">${title}</a> <span>${summary}</span></li>`,
    )}</ul>`,
  };
}

export function guidePage(docs: DocsLibrary, name: string): Page | undefined {
  const guide = docs.findGuide(name);
  if (guide === undefined) return undefined;
  const { title, summary, path, sections } = guide;
  return {
    title,
    description: summary,
    canonicalPath: path,
    body: html`${trail([DOCS])}
<article class="prose"><h1>${title}</h1>
${
  sections.length > 2 && contents(sections.map((section) => ({ href: `#${section.id}`, text: section.title })))
}${guide.body()}</article>`,
  };
}

export function referencePage({ reference }: DocsLibrary, site: SiteAddresses): Page {
  const { title, version, description, operations, schemas } = reference;
  return {
    title: 'Reference',
    description: `Every call of ${title}: parameters and answers.`,
    canonicalPath: '/docs/reference',
    body: html`${trail([DOCS])}
<article class="prose"><h1>${title} ${version}</h1>
${renderBlocks(description)}
${clientsSection()}
${contents([
  ...operations.map(({ id, method, path }) => ({ href: `#${slugOf(id)}`, text: `${method} ${path}` })),
  { href: '#schemas', text: 'Schemas' },
])}
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

/** The examples import clients that no registry has. */
function clientsSection(): Html {
  return html`<h2 id="clients">Clients</h2>
<p>The examples in JavaScript and Python use the clients of the project. They are neither on npm nor on PyPI: they are
installed from a checkout of it, here in a folder called <code>postal-places</code> where <code>npm ci</code> has run.</p>
<pre tabindex="0"><code class="copy">npm install ./postal-places/clients/typescript
pip install ./postal-places/clients/python</code></pre>`;
}

function operationSection(operation: Operation, { apiUrl }: SiteAddresses): Html {
  const { id, method, path, summary, description, parameters, responses } = operation;
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
)}</section>`;
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

export function consolePage(): Page {
  return {
    title: 'Console',
    description: 'Calls to the API from this page, with your key.',
    canonicalPath: '/docs/console',
    stylesheets: ['swagger-ui.css'],
    scripts: ['swagger-ui-bundle.js', 'console.js'],
    body: html`${trail([DOCS])}
<h1>Console</h1>
<p>Calls go from your browser to the API, with the key that you enter under “Authorize”. It is kept in this page alone.</p>
<div id="console"><noscript>The console is a script; the <a href="/docs/reference">reference</a> needs none.</noscript></div>`,
  };
}

function contents(items: readonly { readonly href: string; readonly text: string }[]): Html {
  return html`<nav class="contents" aria-label="On this page"><ul>${items.map(
    ({ href, text }) => html`<li><a href="${href}">${text}</a></li>`,
  )}</ul></nav>`;
}

function table(label: string, heads: readonly string[], rows: readonly (readonly Content[])[]): Content {
  return (
    rows.length > 0 &&
    html`<div class="wide" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${heads.map((head) =>
      head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`,
    )}</tr></thead><tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`
  );
}
