/**
 * The reference of the API, read from its OpenAPI description: operations of any method with their parameters, body and
 * answers, the answers that operations share, and the schemas. The description is generated from the tables that the
 * API answers by, so an operation that is added there has its place here.
 */

import type { JsonSchema } from '../../api/description/json-schema.js';
import { PHOTON_TAG } from '../../api/description/photon-operations.js';
import { slugOf } from '../../core/snapshot/fold-text.js';
import { type Content, type Html, html, joined } from '../html/html.js';

export interface ApiReference {
  readonly title: string;
  readonly summary: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /**
   * The answers that operations refer to and do not have for themselves, and those to what is no operation; by status.
   */
  readonly sharedAnswers: readonly SharedAnswer[];
  readonly schemas: readonly NamedSchema[];
}

export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Whether it needs a key. */
  readonly isKeyed: boolean;
  readonly parameters: readonly Parameter[];
  /** The JSON that it takes; undefined where it takes none. */
  readonly body: Body | undefined;
  /** Its own responses. */
  readonly responses: readonly OwnAnswer[];
  /** Those of the shared answers that it can end with. */
  readonly shared: readonly Pick<SharedAnswer, 'name' | 'status'>[];
  /** `data` of the description's example of a success; undefined without one. */
  readonly exampleData: unknown;
}

export interface Body {
  readonly schema: JsonSchema;
  /** None where the schema has a name of its own, or is no object. */
  readonly fields: NamedSchema['fields'];
  readonly example: unknown;
}

export interface OwnAnswer {
  readonly status: string;
  readonly description: string;
  /** Of `data` of a success; undefined without data. */
  readonly data: JsonSchema | undefined;
}

export interface SharedAnswer {
  readonly name: string;
  /** Empty where no operation ends with it. */
  readonly status: string;
  readonly description: string;
}

export interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query';
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
  readonly description: string;
  readonly example: ExampleValue | undefined;
}

export type ExampleValue = string | number | boolean;

export interface NamedSchema {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly { readonly name: string; readonly schema: JsonSchema; readonly description: string }[];
}

/** The parts of an OpenAPI document that are read here. */
export interface ApiDescription {
  readonly info: {
    readonly title: string;
    readonly summary?: string;
    readonly version: string;
    readonly description?: string;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, JsonSchema>>;
    readonly responses?: Readonly<Record<string, ResponseObject>>;
  };
}

interface OperationObject {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  /** Empty where no key is needed. */
  readonly security?: readonly object[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Readonly<Record<string, ReferenceContent>> };
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
}

interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: ExampleValue;
}

interface ResponseObject {
  readonly description: string;
  readonly content?: Readonly<Record<string, ReferenceContent>>;
}

interface ReferenceContent {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

const JSON_TYPE = 'application/json';
const SUCCESS = '200';

export function readReference({ info, paths, components = {} }: ApiDescription): ApiReference {
  const { schemas = {}, responses = {} } = components;
  // Photon's protocol is off unless the operator turns it on, and has a document of its own.
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags = [] }]) => !tags.includes(PHOTON_TAG))
      .map(([method, operation]) => readOperation(method.toUpperCase(), path, operation)),
  );
  return {
    title: info.title,
    summary: info.summary ?? '',
    version: info.version,
    description: info.description ?? '',
    operations,
    sharedAnswers: readSharedAnswers(responses, operations).filter(({ name }) => !name.startsWith(PHOTON_TAG)),
    schemas: Object.entries(schemas)
      .filter(([name]) => !name.startsWith(PHOTON_TAG))
      .map(([name, schema]) => ({ name, description: schema.description ?? '', fields: fieldsOf(schema, schemas) })),
  };
}

function readOperation(method: string, path: string, operation: OperationObject): Operation {
  const { operationId: id, summary = '', description = '', security = [], parameters = [], requestBody } = operation;
  const own: OwnAnswer[] = [];
  const shared: Pick<SharedAnswer, 'name' | 'status'>[] = [];
  for (const [status, response] of Object.entries(operation.responses)) {
    if ('$ref' in response) shared.push({ name: nameIn(response.$ref), status });
    else {
      const data = response.content?.[JSON_TYPE]?.schema.properties?.data;
      own.push({ status, description: response.description, data });
    }
  }
  const success = operation.responses[SUCCESS];
  const example = success !== undefined && 'content' in success ? success.content?.[JSON_TYPE]?.example : undefined;
  return {
    ...{ id, method, path, summary, description },
    isKeyed: security.length > 0,
    parameters: parameters.map(({ name, in: place, required = false, schema, description: meaning = '', example }) => ({
      ...{ name, place, schema, example },
      isRequired: required,
      description: meaning,
    })),
    body: readBody(requestBody?.content[JSON_TYPE]),
    responses: own,
    shared,
    exampleData: (example as { readonly data?: unknown } | undefined)?.data,
  };
}

function readBody(content: ReferenceContent | undefined): Body | undefined {
  if (content === undefined) return undefined;
  return { schema: content.schema, fields: fieldsOf(content.schema, {}), example: content.example };
}

/** Of those that several operations end with at different statuses, the last one counts; the description has none. */
function readSharedAnswers(
  responses: Readonly<Record<string, ResponseObject>>,
  operations: readonly Operation[],
): SharedAnswer[] {
  const statuses = new Map(operations.flatMap(({ shared }) => shared.map(({ name, status }) => [name, status])));
  const answers = Object.entries(responses).map(([name, { description, content }]) => {
    const status = statuses.get(name) ?? String(content?.[JSON_TYPE]?.schema.properties?.statusCode?.const ?? '');
    return { name, status, description };
  });
  return answers.sort((a, b) => (a.status < b.status ? -1 : Number(a.status > b.status)));
}

/** The properties of an object, including those of its allOf. */
function fieldsOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): NamedSchema['fields'] {
  const resolve = (one: JsonSchema): JsonSchema => (one.$ref === undefined ? one : (schemas[nameIn(one.$ref)] ?? {}));
  const { allOf = [], properties = {} } = resolve(schema);
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    description: field.description ?? resolve(field).description ?? '',
  }));
  return [...allOf.flatMap((part) => fieldsOf(part, schemas)), ...own];
}

/** The name at the end of a reference. */
export function nameIn(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

/* Describes a schema in a few words. A named schema is a link to its description on the page of the reference. */

/** The id of the description of a schema. */
export function schemaAnchor(name: string): string {
  return `schema-${slugOf(name)}`;
}

/** The id of a response that calls share. */
export function answerAnchor(name: string): string {
  return `answer-${slugOf(name)}`;
}

/** The id of a parameter of a call. */
export function parameterAnchor({ id }: Pick<Operation, 'id'>, { name }: Pick<Parameter, 'name'>): string {
  return `${slugOf(id)}-${slugOf(name)}`;
}

/** Such as "array of Place", "integer from 1 to 100, default 50", "string or null"; empty for no schema. */
export function shapeOf(schema: JsonSchema | undefined): Content {
  if (schema === undefined) return '';
  const { $ref, type = [], anyOf, allOf, items } = schema;
  if ($ref !== undefined) return linkTo(nameIn($ref));
  // The common part of the choices is beside them.
  if (anyOf !== undefined)
    return joined(
      anyOf.map((choice) => shapeOf({ type, ...choice })),
      ' or ',
    );
  if (allOf !== undefined) return joined(allOf.map(shapeOf), ' with ');
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const names = [type].flat().map((name) => (name === 'array' ? ['array of ', itemsOf(items)] : name));
  return [joined(names, ' or '), boundsOf(schema)];
}

function linkTo(name: string): Html {
  return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
}

function itemsOf(items: JsonSchema | undefined): Content {
  return items === undefined ? 'anything' : shapeOf(items);
}

function boundsOf({ minimum, maximum, minLength, maxLength, default: fallback, format }: JsonSchema): string {
  const bounds = range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum);
  const lengths = range(minLength, maxLength);
  return [
    format === undefined ? '' : ` (${format})`,
    bounds === '' ? '' : ` ${bounds}`,
    lengths === '' ? '' : ` of ${lengths.replace(/^from /, '')} characters`,
    fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`,
  ].join('');
}

/** '' without bounds. */
function range(from: unknown, to: unknown): string {
  if (from === undefined) return to === undefined ? '' : `at most ${to}`;
  return to === undefined ? `at least ${from}` : `from ${from} to ${to}`;
}

/*
 * JSON for a reader: what fits on a line stands on one. A shortened value shows the first elements of each array with
 * how many more there are, and the start of each long text.
 */

/** Maximum number of elements shown of an array: two of the outermost, so that its form is seen, else one. */
const OUTER_ELEMENTS = 2;
const INNER_ELEMENTS = 1;
/** Maximum number of elements shown of an array of texts and numbers, which take less room than objects. */
const PLAIN_ELEMENTS = 6;
/** Maximum length of a text in characters: more than the longest address that a page of the site has in practice. */
const TEXT_CHARACTERS = 160;
/**
 * Maximum length in characters of a line that holds a whole array or object: what the column of examples shows without
 * scrolling.
 */
const LINE_CHARACTERS = 56;

export function shortJson(value: unknown): string {
  return print(value, '', OUTER_ELEMENTS);
}

/** With all elements and whole texts. `printPlain` prints what is neither an object nor an array. */
export function wholeJson(
  value: unknown,
  printPlain: (value: unknown) => string = JSON.stringify,
  indent = '',
): string {
  if (isPlain(value)) return printPlain(value);
  const inner = `${indent}  `;
  const print = (field: unknown): string => wholeJson(field, printPlain, inner);
  if (Array.isArray(value)) return enclose('[', value.map(print), ']', indent);
  const lines = Object.entries(value as object).map(([name, field]) => `${JSON.stringify(name)}: ${print(field)}`);
  return enclose('{', lines, '}', indent);
}

function print(value: unknown, indent: string, elements: number): string {
  if (typeof value === 'string') return printText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const shown = value.slice(0, value.every(isPlain) ? PLAIN_ELEMENTS : elements);
    const lines = shown.map((element) => print(element, inner, INNER_ELEMENTS));
    const moreCount = value.length - shown.length;
    const rest = moreCount > 0 ? [`… ${moreCount.toLocaleString('en-US')} more`] : [];
    return enclose('[', [...lines, ...rest], ']', indent);
  }
  const lines = Object.entries(value).map(
    ([name, field]) =>
      `${JSON.stringify(name)}: ${print(field, inner, Array.isArray(field) ? elements : INNER_ELEMENTS)}`,
  );
  return enclose('{', lines, '}', indent);
}

function printText(text: string): string {
  const characters = [...text];
  return JSON.stringify(
    characters.length <= TEXT_CHARACTERS ? text : `${characters.slice(0, TEXT_CHARACTERS).join('')}…`,
  );
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function enclose(start: string, lines: readonly string[], end: string, indent: string): string {
  if (lines.length === 0) return start + end;
  const gap = start === '{' ? ' ' : '';
  const line = `${start}${gap}${lines.join(', ')}${gap}${end}`;
  if (line.length + indent.length <= LINE_CHARACTERS && !line.includes('\n')) return line;
  return `${start}\n${lines.map((one) => `${indent}  ${one}`).join(',\n')}\n${indent}${end}`;
}
