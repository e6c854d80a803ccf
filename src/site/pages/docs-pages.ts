/** The pages of the documents: their list, a guide, and the console that calls the API. */
import type { DocsLibrary } from '../docs/docs-library.js';
import { contents, DOCS } from '../html/document-parts.js';
import { html } from '../html/html.js';
import { trail } from '../html/place-parts.js';
import type { Page } from '../page.js';

export function docsPage({ sections }: DocsLibrary): Page {
  return {
    title: 'Documentation',
    description: 'Every call of the API, and how to run it yourself.',
    canonicalPath: '/docs',
    body: html`<h1>Documentation</h1>
${sections.map(
  ({ title, entries }) => html`<section><h2>${title}</h2>
<ul class="guides">${entries.map(
    (entry) => html`<li><a href="${entry.path}">${entry.title}</a> <span>${entry.summary}</span></li>`,
  )}</ul></section>`,
)}`,
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
