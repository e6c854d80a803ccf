/**
 * The page of the reference: contents, each call with its response, then the rules and limits of all calls, the common
 * responses, the clients and the schemas. The examples are answers of the served snapshot.
 */

import { slugOf } from '../../core/snapshot/slug.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { answerAnchor, parameterAnchor, schemaAnchor } from '../docs/anchors.js';
import {
  type ExampleValue,
  type NamedSchema,
  type Operation,
  type Parameter,
  REFERENCE,
  type SharedAnswer,
} from '../docs/api-reference.js';
import { codeTabs, listCallExamples } from '../docs/calls-in-languages.js';
import type { DocsLibrary } from '../docs/docs-library.js';
import { type ExampleCall, exampleCall } from '../docs/example-answers.js';
import { shortJson, wholeJson } from '../docs/json-for-readers.js';
import { renderInlineMarkdown, renderMarkdownBlocks } from '../docs/markdown.js';
import { shapeOf } from '../docs/schema-shape.js';
import { codeBlock } from '../html/code-block.js';
import { type Content, type Html, html, joinHtml } from '../html/html.js';
import type { Page, SiteAddresses } from '../html/page.js';
import { type ContentsItem, type DocsContext, docsNeighbours, docsTrail, groupedContents } from './docs-navigation.js';

interface Field {
  readonly name: Html;
  /** The type and bounds of its value. */
  readonly shape?: Content;
  readonly description?: Content;
}

/** Nothing without fields. */
function fieldList(fields: readonly Field[]): Content {
  return (
    fields.length > 0 &&
    html`<dl class="fields-of">${fields.map(
      ({ name, shape, description }) =>
        html`<div><dt>${name}${isThere(shape) && html` <span>${shape}</span>`}</dt>${
          isThere(description) && html`<dd>${description}</dd>`
        }</div>`,
    )}</dl>`
  );
}

function isThere(content: Content): boolean {
  return html`${content}`.text !== '';
}

/*
 * One call of the reference: its description beside the call in three languages and the response, and the form below.
 */
function operationSection(operation: Operation, snapshot: Snapshot, { apiUrl }: SiteAddresses): Html {
  const { id, method, path, summary, description } = operation;
  const example = exampleCall(snapshot, operation);
  const calls = listCallExamples(operation, example, apiUrl);
  return html`<section class="operation"><h2 id="${slugOf(id)}">${summary}</h2>
<div class="beside"><div class="prose">
<p class="endpoint"><code>${method} ${path}</code></p>
${renderMarkdownBlocks(description)}
${parametersPart(operation)}
${bodyPart(operation)}
${responsesPart(operation)}
</div>
<div class="shown">
${codeTabs(slugOf(id), calls)}
${calls.length === 0 && html`<p class="note">No example: this release has no answer to show.</p>`}
${
  example.data !== undefined &&
  html`<p class="caption">Response: <code>data</code>${!example.isServed && ' with the starter dataset'}</p>
${codeBlock(shortJson(example.data), 'json', true)}`
}
</div></div>
${tryForm(operation, example)}
</section>`;
}

/** The fields of a schema. */
function describedFields(fields: NamedSchema['fields']): Field[] {
  return fields.map(({ name, schema, description }) => ({
    name: html`<code>${name}</code>`,
    shape: shapeOf(schema),
    description: renderInlineMarkdown(description),
  }));
}

function parametersPart(operation: Operation): Content {
  const { parameters } = operation;
  return (
    parameters.length > 0 &&
    html`<h3>Parameters</h3>
${fieldList(
  parameters.map(({ name, place, schema, isRequired, description }) => ({
    name: html`<code id="${parameterAnchor(operation, { name })}">${name}</code>`,
    shape: [shapeOf(schema), place === 'path' ? ', in the path' : isRequired ? ', required' : ''],
    description: renderInlineMarkdown(description),
  })),
)}`
  );
}

function bodyPart({ body }: Operation): Content {
  return (
    body !== undefined &&
    html`<h3>Body</h3>
${fieldList([{ name: html`<code>application/json</code>`, shape: shapeOf(body.schema) }, ...describedFields(body.fields)])}`
  );
}

function responsesPart({ responses, shared }: Operation): Html {
  return html`<h3>Responses</h3>
${fieldList(
  responses.map(({ status, data, description }) => ({
    name: html`<code>${status}</code>`,
    shape: data !== undefined && shapeOf(data),
    description: data === undefined && renderMarkdownBlocks(description),
  })),
)}${
  shared.length > 0 &&
  html`<p class="note">Common responses: ${joinHtml(
    shared.map(({ name, status }) => html`<a href="#${answerAnchor(name)}" title="${name}">${status}</a>`),
    ', ',
  )}</p>`
}`;
}

const COMMON = { id: 'common-responses', text: 'Common responses' };
const REQUESTS = { id: 'requests', text: 'Requests' };
const CLIENTS = { id: 'clients', text: 'Clients' };
const KEY = { id: 'get-a-key', text: 'Get a key' };

export function referencePage({ docs, site, snapshot }: DocsContext): Page {
  const { title, version, summary, description, operations, sharedAnswers, schemas } = docs.reference;
  return {
    title: 'Reference',
    description: `Every call of ${title} with its response.`,
    canonicalPath: REFERENCE.path,
    scripts: ['reference.js'],
    body: html`<article class="reference" data-api="${site.apiUrl}"${site.hasAccounts && html` data-accounts`}>
<header>${docsTrail(docs, REFERENCE.path)}
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
${operations.map((operation) => operationSection(operation, snapshot, site))}
<div class="prose">
<h2 id="${REQUESTS.id}">${REQUESTS.text}</h2>
${renderMarkdownBlocks(description)}
<p class="plan" hidden></p>
${commonSection(sharedAnswers)}
${clientsSection()}
<h2 id="schemas">Schemas</h2>
${schemas.map(schemaSection)}
${docsNeighbours(docs, REFERENCE.path)}
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

/** The examples import clients that are in no registry. */
function clientsSection(): Html {
  return html`<h2 id="${CLIENTS.id}">${CLIENTS.text}</h2>
<p>The examples in JavaScript and Python use the clients of the project. They are neither on npm nor on PyPI: install them
from a checkout of the project, here a folder called <code>postal-places</code> in which <code>npm ci --ignore-scripts</code> has run.</p>
${codeBlock('npm install ./postal-places/clients/typescript\npip install ./postal-places/clients/python', 'sh')}`;
}

function commonSection(answers: readonly SharedAnswer[]): Html {
  return html`<h2 id="${COMMON.id}">${COMMON.text}</h2>
<p>Each call lists the responses of that call alone, and links to these by their status.</p>
${fieldList(
  answers.map(({ name, status, description }) => ({
    name: html`<code id="${answerAnchor(name)}">${status === '' ? name : `${status} ${name}`}</code>`,
    description: renderMarkdownBlocks(description),
  })),
)}`;
}

/** A link to the content opens it. */
function schemaSection({ name, description, fields }: NamedSchema): Html {
  return html`<details class="schema"><summary><h3>${name}</h3></summary>
<div id="${schemaAnchor(name)}">${renderMarkdownBlocks(description)}
${fieldList(describedFields(fields))}</div></details>`;
}

/*
 * The form under a call of the reference: a field for each parameter, the body and the key. The script reference.js
 * shows and sends it; without a script it stays hidden.
 */
function tryForm(operation: Operation, { values, body }: ExampleCall): Html {
  const { method, path, parameters, isKeyed, summary } = operation;
  return html`<details class="try" hidden><summary>Try it<span class="unseen">: ${summary}</span></summary>
<form data-method="${method}" data-path="${path}" autocomplete="off" autocapitalize="off" spellcheck="false">
${parameters.map((parameter) => parameterField(parameter, values[parameter.name]))}
${
  operation.body !== undefined &&
  html`<label class="broad">body <textarea name="body" data-in="body" rows="8" required>${wholeJson(body ?? {})}</textarea></label>`
}
${isKeyed && html`<label>API key <input type="password" class="api-key" required></label>`}
<button class="main">Send</button>
</form></details>`;
}

function parameterField({ name, place, isRequired, schema }: Parameter, value: ExampleValue | undefined): Html {
  const text = value === undefined ? '' : String(value);
  const needed = isRequired && html` required`;
  const choices = schema.enum ?? (schema.type === 'boolean' ? [true, false] : undefined);
  const control =
    choices === undefined
      ? html`<input name="${name}" data-in="${place}" value="${text}" placeholder="${placeholderOf(schema.default)}"${needed}>`
      : html`<select name="${name}" data-in="${place}"${needed}>
<option value="">not sent</option>${choices.map((choice) => option(String(choice), text))}</select>`;
  return html`<label>${name} ${control}</label>`;
}

function option(choice: string, chosen: string): Html {
  return html`<option${choice === chosen && html` selected`}>${choice}</option>`;
}

function placeholderOf(fallback: unknown): string {
  return fallback === undefined ? '' : String(fallback);
}
