/**
 * The form under a call of the reference: a field for each parameter, the body and the key. The script reference.js
 * shows and sends it; without a script it stays hidden.
 */
import type { ExampleCall } from '../docs/example-calls.js';
import type { ExampleValue, Operation, Parameter } from '../docs/reference.js';
import { wholeJson } from '../docs/short-json.js';
import { type Html, html } from './html.js';

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
