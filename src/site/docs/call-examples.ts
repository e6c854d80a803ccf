/**
 * An operation of the description as a call that can be pasted: with curl, with the TypeScript client and with the
 * Python client, each with the values that the description gives as examples. The programs are whole: they run as they
 * are once the key is put in.
 */
import { CLIENT_CLASS, PYTHON_PACKAGE, pythonName, TYPESCRIPT_PACKAGE } from '../../client-naming.js';
import { curlCommand, KEY_TO_PUT_IN } from '../html/api-call.js';
import type { ExampleValue, Operation, Parameter } from './reference.js';

export interface CallExample {
  readonly language: 'curl' | 'JavaScript' | 'Python';
  readonly code: string;
}

type Argument = Parameter & { readonly example: ExampleValue };

/** Empty where a value is missing that the call needs. The clients have the operations that need a key alone. */
export function listCallExamples(operation: Operation, apiUrl: string): CallExample[] {
  const { id, path, parameters, isKeyed, body } = operation;
  if (body !== undefined) return listBodyExamples(operation, body, apiUrl);
  const given = parameters.filter((parameter): parameter is Argument => parameter.example !== undefined);
  if (parameters.some(({ isRequired, example }) => isRequired && example === undefined)) return [];
  const curl = curlCommand(apiUrl, targetOf(path, given), isKeyed);
  if (!isKeyed) return [{ language: 'curl', code: curl }];
  return [
    { language: 'curl', code: curl },
    { language: 'JavaScript', code: typescriptCall(id, given, apiUrl) },
    { language: 'Python', code: pythonCall(id, given, apiUrl) },
  ];
}

/** Of a call that sends a body. */
function listBodyExamples(
  { id, path }: Operation,
  body: NonNullable<Operation['body']>,
  apiUrl: string,
): CallExample[] {
  const lists = Object.entries(body);
  return [
    { language: 'curl', code: curlCommand(apiUrl, path, true, JSON.stringify(body)) },
    {
      language: 'JavaScript',
      code: typescriptProgram(id, `{ ${lists.map(([name, list]) => `${name}: ${itemsOf(list)}`).join(', ')} }`, apiUrl),
    },
    { language: 'Python', code: pythonProgram(id, lists.map(([, list]) => itemsOf(list)).join(', '), apiUrl) },
  ];
}

/** A list with an item a line, which is both JavaScript and Python. */
function itemsOf(list: readonly object[]): string {
  return `[\n${list.map((item) => `  ${JSON.stringify(item)},\n`).join('')}]`;
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
  return typescriptProgram(id, fields === '' ? '' : `{ ${fields} }`, apiUrl);
}

function typescriptProgram(id: string, given: string, apiUrl: string): string {
  return `import { ${CLIENT_CLASS} } from '${TYPESCRIPT_PACKAGE}';

const places = new ${CLIENT_CLASS}({ baseUrl: ${quoted(apiUrl)}, apiKey: '${KEY_TO_PUT_IN}' });
console.log(await places.${id}(${given}));`;
}

function quoted(value: ExampleValue): string {
  if (typeof value !== 'string') return String(value);
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

function pythonCall(id: string, given: readonly Argument[], apiUrl: string): string {
  const values = given.map(({ name, isRequired, example }) => {
    const value = typeof example === 'boolean' ? (example ? 'True' : 'False') : JSON.stringify(example);
    return isRequired ? value : `${pythonName(name)}=${value}`;
  });
  return pythonProgram(id, values.join(', '), apiUrl);
}

function pythonProgram(id: string, given: string, apiUrl: string): string {
  return `from ${PYTHON_PACKAGE} import ${CLIENT_CLASS}

places = ${CLIENT_CLASS}(${JSON.stringify(apiUrl)}, "${KEY_TO_PUT_IN}")
print(places.${pythonName(id)}(${given}))`;
}
