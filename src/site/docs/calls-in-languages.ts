/**
 * An operation of the description as a call to paste: with curl, with the TypeScript client and with the Python client,
 * each with the values of the example. The clients have no operations without a key; operations with a body are written
 * without the clients. The programs are complete: they run once the key is filled in.
 */

import { CLIENT_CLASS, PYTHON_PACKAGE, pythonName, TYPESCRIPT_PACKAGE } from '../../api/description/client-names.js';
import { codeBlock } from '../html/code-block.js';
import { type Content, html } from '../html/html.js';
import type { ExampleValue, Operation, Parameter } from './api-reference.js';
import type { ExampleCall } from './example-answers.js';
import { wholeJson } from './json-for-readers.js';

export const KEY_TO_PUT_IN = 'YOUR_KEY';

/** `body` is the JSON that the call sends, if any. */
export function curlCommand(apiUrl: string, target: string, isKeyed = true, body?: string): string {
  const header = isKeyed ? ` -H 'x-api-key: ${KEY_TO_PUT_IN}'` : '';
  const sent = body === undefined ? '' : ` -H 'content-type: application/json' -d '${body.replaceAll("'", '\\u0027')}'`;
  return `curl${header}${sent} '${apiUrl}${target.replaceAll("'", '%27')}'`;
}

export interface CallExample {
  readonly language: 'curl' | 'JavaScript' | 'Python';
  readonly code: string;
}

type Argument = Parameter & { readonly example: ExampleValue };

/** Empty if a required value is missing. */
export function listCallExamples(
  operation: Operation,
  { values, body }: Pick<ExampleCall, 'values' | 'body'>,
  apiUrl: string,
): CallExample[] {
  const { id, method, path, parameters, isKeyed } = operation;
  const given = parameters.flatMap((parameter): Argument[] => {
    const example = values[parameter.name];
    return example === undefined ? [] : [{ ...parameter, example }];
  });
  if (parameters.some(({ name, isRequired }) => isRequired && values[name] === undefined)) return [];
  const target = targetOf(path, given);
  if (operation.body !== undefined) return callsWithBody(method, apiUrl + target, isKeyed, body);
  const curl = curlCommand(apiUrl, target, isKeyed);
  if (!isKeyed) return [{ language: 'curl', code: curl }];
  return [
    { language: 'curl', code: curl },
    { language: 'JavaScript', code: typescriptCall(id, given, apiUrl) },
    { language: 'Python', code: pythonCall(id, given, apiUrl) },
  ];
}

function targetOf(path: string, given: readonly Argument[]): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given.find((argument) => argument.place === 'path' && argument.name === name)?.example ?? ''),
  );
  const query = given
    .filter(({ place }) => place === 'query')
    // A slash may stand in a query, and a path is easier to read with slashes.
    .map(({ name, example }) => `${name}=${encodeURIComponent(example).replaceAll('%2F', '/')}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function typescriptCall(id: string, given: readonly Argument[], apiUrl: string): string {
  const fields = given.map(({ name, example }) => `${name}: ${quoted(example)}`).join(', ');
  return `import { ${CLIENT_CLASS} } from '${TYPESCRIPT_PACKAGE}';

const places = new ${CLIENT_CLASS}({ baseUrl: ${quoted(apiUrl)}, apiKey: '${KEY_TO_PUT_IN}' });
console.log(await places.${id}(${fields === '' ? '' : `{ ${fields} }`}));`;
}

function quoted(value: ExampleValue): string {
  if (typeof value !== 'string') return String(value);
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

function pythonCall(id: string, given: readonly Argument[], apiUrl: string): string {
  const values = given.map(({ name, isRequired, example }) => {
    const value = pythonPlain(example);
    return isRequired ? value : `${pythonName(name)}=${value}`;
  });
  return `from ${PYTHON_PACKAGE} import ${CLIENT_CLASS}

places = ${CLIENT_CLASS}(${JSON.stringify(apiUrl)}, "${KEY_TO_PUT_IN}")
print(places.${pythonName(id)}(${values.join(', ')}))`;
}

function callsWithBody(method: string, url: string, isKeyed: boolean, body: unknown): CallExample[] {
  if (body === undefined) return [];
  const headers = [['content-type', 'application/json'], ...(isKeyed ? [['x-api-key', KEY_TO_PUT_IN]] : [])];
  const json = wholeJson(body);
  const curlHeaders = headers.map(([name, value]) => ` -H '${name}: ${value}'`).join('');
  const fields = headers.map(([name, value]) => `'${name}': '${value}'`).join(', ');
  return [
    {
      language: 'curl',
      code: `curl -X ${method}${curlHeaders} '${url.replaceAll("'", '%27')}' -d '${json.replaceAll("'", `'\\''`)}'`,
    },
    {
      language: 'JavaScript',
      code: `const response = await fetch(${quoted(url)}, {
  method: '${method}',
  headers: { ${fields} },
  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),
});
console.log((await response.json()).data);`,
    },
    {
      language: 'Python',
      code: `import json
from urllib.request import Request, urlopen

body = ${wholeJson(body, pythonPlain)}
headers = {${fields}}
request = Request(${JSON.stringify(url)}, json.dumps(body).encode(), headers, method="${method}")
with urlopen(request) as response:
    print(json.load(response)["data"])`,
    },
  ];
}

/** A text, number, boolean or null as Python writes it. */
function pythonPlain(value: unknown): string {
  if (value === null) return 'None';
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
}

/**
 * A call in several languages, of which one is open at a time, also without a script: details of one `group` close each
 * other.
 */
export function codeTabs(group: string, examples: readonly CallExample[]): Content {
  return (
    examples.length > 0 &&
    html`<div class="examples">${examples.map(
      ({ language, code }, index) => html`<details class="example" name="${group}"${index === 0 && html` open`}>
<summary>${language}</summary>
${codeBlock(code, language)}
</details>
`,
    )}</div>`
  );
}
