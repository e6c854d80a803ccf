/** Shared parts of the documentation pages: where a document stands, tables of contents, and lists of fields. */

import type { DocsLibrary } from '../docs/docs-library.js';
import type { ExampleCall } from '../docs/example-calls.js';
import { type ExampleValue, type Operation, type Parameter, wholeJson } from '../docs/reference.js';
import { type Content, type Html, html } from './html.js';
import { trail } from './place-parts.js';

const DOCS = { name: 'Docs', path: '/docs' };

/** The contents of all documents, and the section of this one. */
export function docsTrail({ sections }: DocsLibrary, path: string): Html {
  const section = sections.find(({ entries }) => entries.some((entry) => entry.path === path));
  return trail(section === undefined ? [DOCS] : [DOCS, { name: section.title, path: `/docs#${section.id}` }]);
}

/** All documents by section. */
export function docsNav({ sections }: DocsLibrary, path: string): Html {
  return html`<nav class="documents" aria-label="Documents">${sections.map(
    ({ id, title, entries }) => html`<h2><a href="/docs#${id}">${title}</a></h2>
<ul>${entries.map(
      (entry) =>
        html`<li><a href="${entry.path}"${entry.path === path && html` aria-current="page"`}>${entry.title}</a></li>`,
    )}</ul>`,
  )}</nav>`;
}

export interface ContentsItem {
  readonly href: string;
  readonly text: string;
}

export function contents(items: readonly ContentsItem[]): Html {
  return html`<nav class="contents" aria-label="On this page">${listOf(items)}</nav>`;
}

/** Groups without items are left out. */
export function groupedContents(
  groups: readonly { readonly title: string; readonly items: readonly ContentsItem[] }[],
): Html {
  return html`<nav class="contents" aria-label="On this page">${groups.map(
    ({ title, items }) => items.length > 0 && html`<div><p>${title}</p>${listOf(items)}</div>`,
  )}</nav>`;
}

function listOf(items: readonly ContentsItem[]): Html {
  return html`<ul>${items.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>`;
}

export interface Field {
  readonly name: Html;
  /** What its value may be. */
  readonly shape?: Content;
  readonly description?: Content;
}

/** Nothing without fields. */
export function fieldList(fields: readonly Field[]): Content {
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
 * The form under a call of the reference: a field for each parameter, the body and the key. The script reference.js
 * shows and sends it; without a script it stays hidden.
 */

export function tryForm(operation: Operation, { values, body }: ExampleCall): Html {
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
