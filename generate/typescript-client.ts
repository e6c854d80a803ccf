/**
 * The TypeScript client: the codes of errors, the types of answers and parameters, and one class with a method for each
 * operation. How requests are made, tried again and given up is written by hand in the other files of
 * clients/typescript/src. The library takes its types from the client's file.
 */

import { CLIENT_CLASS } from '../src/api/description/client-names.js';
import type { JsonSchema } from '../src/api/description/json-schema.js';
import {
  type ClientModel,
  type ClientOperation,
  type Field,
  type ObjectType,
  readModel,
  referredName,
  wrapClientText,
  writeModelMethods,
} from './client-model.js';
import type { OpenApiDocument } from './openapi-document.js';

export function writeTypescriptClient(document: OpenApiDocument): string {
  const model = readModel(document);
  const clientClass = writeClass(model);
  const used = [...model.types.map(({ name }) => name), ...model.operations.map(({ id }) => parametersName(id))]
    .filter((name) => new RegExp(`\\b${name}\\b`).test(clientClass))
    .sort();
  return [
    `/** The operations of the ${model.title}. Written by \`npm run generate:openapi\`: do not edit. */`,
    "import { type ClientOptions, iteratePages, type RequestOptions, Transport } from './transport.js';",
    `import type {\n${used.map((name) => `  ${name},\n`).join('')}} from './types.js';\n`,
    clientClass,
  ].join('\n');
}

/** A file of its own: the library has the same types, and no operations over HTTP. */
export function writeTypescriptTypes(document: OpenApiDocument): string {
  const { title, errorTypes, types, operations } = readModel(document);
  return [
    `/** The answers and parameters of the ${title}. Written by \`npm run generate:openapi\`: do not edit. */`,
    `import type { ${errorTypes.map(({ name }) => name).join(', ')} } from './error-codes.js';\n`,
    ...types.map(writeType),
    ...operations.map(writeParameters).filter((text) => text !== ''),
  ].join('\n');
}

/** A file of its own: the error that every part of the client throws needs these types, and none of the operations. */
export function writeTypescriptErrorCodes(document: OpenApiDocument): string {
  const { title, errorCodes, errorTypes } = readModel(document);
  const lines = errorCodes.map((code) => `  | '${code}'`).join('\n');
  return `/** Written by \`npm run generate:openapi\`: do not edit. */

/** The codes of errors of the ${title}; later versions of it may add some. */
export type ErrorCode =
${lines};

${errorTypes.map(writeType).join('\n')}`;
}

function writeType({ name, base, fields }: ObjectType): string {
  const heading = base === undefined ? name : `${name} extends ${base}`;
  return `export interface ${heading} {\n${fields.map((field) => writeField(field)).join('')}}\n`;
}

function writeField({ name, schema, isOptional, meaning }: Field, type = typeOf(schema)): string {
  const comment = meaning === undefined ? '' : `  /** ${meaning}. */\n`;
  return `${comment}  ${name}${isOptional ? '?' : ''}: ${type};\n`;
}

/** Nothing for an operation without parameters and body. */
function writeParameters({ id, parameters, body = [] }: ClientOperation): string {
  if (parameters.length + body.length === 0) return '';
  const ofBody = body.map((field) => writeField(field));
  const ofTarget = parameters.map(({ name, schema, required, description }) => {
    const meaning = description.replace(/\.$/, '') + defaultOf(schema);
    return writeField({ name, schema, isOptional: !required, meaning }, parameterTypeOf(schema));
  });
  return `export interface ${parametersName(id)} {\n${[...ofBody, ...ofTarget].join('')}}\n`;
}

function defaultOf({ default: fallback }: JsonSchema): string {
  return fallback === undefined ? '' : `; ${fallback} if left out`;
}

function writeClass(model: ClientModel): string {
  return `/** A client of the ${model.title}. One may serve a whole program. */
export class ${CLIENT_CLASS} {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }
${writeModelMethods(model, writeMethod, writeIterator)}}
`;
}

function writeMethod(operation: ClientOperation): string {
  const { id, path, summary, description, data, parameters, body } = operation;
  const give = ({ name }: { readonly name: string }): string => `${name}: parameters.${name}`;
  const sent = body === undefined ? '' : `, ${braced(body.map(give).join(', '))}`;
  return `
  /**
${wrapClientText(`${summary}. ${description}`, '   * ')}
   */
  ${id}(${parametersOf(operation)}options: RequestOptions = {}): Promise<${typeOf(data)}> {
    const given = ${braced(parameters.map(give).join(', '))};
    return this.#transport.call('${path}', given, options${sent});
  }
`;
}

function writeIterator(operation: ClientOperation, { item, maxSize }: NonNullable<ClientOperation['page']>): string {
  const { id, summary } = operation;
  return `
  /**
${wrapClientText(`${summary}, those of all pages from \`page\` on. A page is fetched when it is reached, and has ${maxSize} unless told otherwise.`, '   * ')}
   */
  ${id.replace(/^list/, 'iterate')}(${parametersOf(operation)}options: RequestOptions = {}): AsyncGenerator<${item}, void> {
    const whole = { pageSize: ${maxSize}, ...parameters };
    return iteratePages(whole.page, (page) => this.${id}({ ...whole, page }, options));
  }
`;
}

function braced(text: string): string {
  return text === '' ? '{}' : `{ ${text} }`;
}

/** The first argument of a method, and a comma. */
function parametersOf({ id, parameters, body = [] }: ClientOperation): string {
  if (parameters.length + body.length === 0) return '';
  const isOptional = parameters.every(({ required }) => !required) && body.every((field) => field.isOptional);
  return `parameters: ${parametersName(id)}${isOptional ? ' = {}' : ''}, `;
}

function parametersName(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Parameters`;
}

/** The type of a parameter: of a list, one value or several. What is sent is one of today's texts. */
function parameterTypeOf(schema: JsonSchema): string {
  const { type, items, enum: values } = schema;
  if (type === 'array') {
    const item = parameterTypeOf(items as JsonSchema);
    return `${item} | readonly (${item})[]`;
  }
  return Array.isArray(values) ? values.map((value) => `'${value}'`).join(' | ') : typeOf(schema);
}

/** The type of a schema's values. Lists of texts are open: a later version of the API may add some. */
function typeOf(schema: JsonSchema): string {
  const name = referredName(schema);
  if (name !== undefined) return name;
  const { type, items, anyOf, enum: values } = schema;
  if (Array.isArray(type))
    return type.map((one) => (one === 'null' ? 'null' : typeOf({ ...schema, type: one }))).join(' | ');
  if (type === 'array') {
    const item = typeOf(items as JsonSchema);
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  if (type === undefined && anyOf !== undefined) return anyOf.map(typeOf).join(' | ');
  if (Array.isArray(values)) return [...values.map((value) => `'${value}'`), '(string & {})'].join(' | ');
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean' || type === 'string' || type === 'null') return type;
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}
