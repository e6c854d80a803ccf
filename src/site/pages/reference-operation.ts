/** One call of the reference: its description beside the call in three languages and the response, and the form below. */
import { slugOf } from '../../format/slug.js';
import type { Snapshot } from '../../store/snapshot.js';
import { listCallExamples } from '../docs/call-examples.js';
import { exampleCall } from '../docs/example-calls.js';
import { renderBlocks, renderInline } from '../docs/guide.js';
import type { NamedSchema, Operation } from '../docs/reference.js';
import { shapeOf } from '../docs/schema-shape.js';
import { shortJson } from '../docs/short-json.js';
import { codeTabs } from '../html/code-tabs.js';
import { type Field, fieldList } from '../html/document-parts.js';
import { type Content, type Html, html, joined } from '../html/html.js';
import { tryForm } from '../html/try-form.js';
import type { SiteAddresses } from '../page.js';

/** The id of a response that calls share. */
export function answerAnchor(name: string): string {
  return `answer-${slugOf(name)}`;
}

export function operationSection(operation: Operation, snapshot: Snapshot, { apiUrl }: SiteAddresses): Html {
  const { id, method, path, summary, description } = operation;
  const example = exampleCall(snapshot, operation);
  return html`<section class="operation"><h2 id="${slugOf(id)}">${summary}</h2>
<div class="beside"><div class="prose">
<p class="endpoint"><code>${method} ${path}</code></p>
${renderBlocks(description)}
${parametersPart(operation)}
${bodyPart(operation)}
${responsesPart(operation)}
</div>
<div class="shown">
${codeTabs(slugOf(id), listCallExamples(operation, example, apiUrl))}
${
  example.data !== undefined &&
  html`<p class="caption">Response: <code>data</code>${!example.isServed && ' with the starter dataset'}</p>
<pre class="response" tabindex="0"><code>${shortJson(example.data)}</code></pre>`
}
</div></div>
${tryForm(operation, example)}
</section>`;
}

/** The fields of a schema. */
export function describedFields(fields: NamedSchema['fields']): Field[] {
  return fields.map(({ name, schema, description }) => ({
    name: html`<code>${name}</code>`,
    shape: shapeOf(schema),
    description: renderInline(description),
  }));
}

function parametersPart({ parameters }: Operation): Content {
  return (
    parameters.length > 0 &&
    html`<h3>Parameters</h3>
${fieldList(
  parameters.map(({ name, place, schema, isRequired, description }) => ({
    name: html`<code>${name}</code>`,
    shape: [shapeOf(schema), place === 'path' ? ', in the path' : isRequired ? ', required' : ''],
    description: renderInline(description),
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
    description: data === undefined && renderBlocks(description),
  })),
)}${
  shared.length > 0 &&
  html`<p class="note">Common responses: ${joined(
    shared.map(({ name, status }) => html`<a href="#${answerAnchor(name)}" title="${name}">${status}</a>`),
    ', ',
  )}</p>`
}`;
}
