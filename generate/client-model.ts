/**
 * What a client library needs of the description, whatever its language: the operations about data, the types of
 * their answers and the codes of their errors. Types stand before those that use them.
 */

import type { JsonSchema } from '../src/api/description/json-schema.js';
import {
  listDocumentOperations,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type PlacedOperation,
  resolveInDocument,
} from './openapi-document.js';

export interface ClientModel {
  readonly types: readonly ObjectType[];
  readonly operations: readonly ClientOperation[];
  readonly errorCodes: readonly string[];
  /** The types that only errors have. */
  readonly errorTypes: readonly ObjectType[];
  /** Of the API. */
  readonly title: string;
}

export interface ObjectType {
  readonly name: string;
  /** The type whose fields this one has too. */
  readonly base: string | undefined;
  readonly fields: readonly Field[];
}

export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isOptional: boolean;
  readonly meaning: string | undefined;
}

export interface ClientOperation {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ParameterObject[];
  /** The fields of the body, where the operation sends one. */
  readonly body: readonly Field[] | undefined;
  readonly data: JsonSchema;
  /** Where `data` is a page: the name of the type of its items, and the most that a page has. */
  readonly page: { readonly item: string; readonly maxSize: number } | undefined;
}

export function readModel(document: OpenApiDocument): ClientModel {
  const called = listDocumentOperations(document).filter(({ path }) => path.startsWith('/v1/'));
  const operations = called.map((operation) => readOperation(document, operation));
  const errors = listErrors(document, called);
  const errorTypes = listTypes(document, errors);
  const types = listTypes(
    document,
    operations.flatMap(({ body = [], data }) => [...body.map(({ schema }) => schema), data]),
  );
  return {
    title: document.info.title,
    types: types.filter(({ name }) => !errorTypes.some((type) => type.name === name)),
    operations,
    errorCodes: listErrorCodes(errors),
    errorTypes,
  };
}

/** The name of the type that a schema refers to; undefined where it does not. */
export function referredName(schema: JsonSchema): string | undefined {
  return typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}

function readOperation(document: OpenApiDocument, operation: PlacedOperation): ClientOperation {
  const { operationId: id, path, summary, description, parameters, requestBody } = operation;
  const data = propertyOf(contentSchema(document, operation.responses[200]), 'data');
  const isPaged = parameters.some(({ name }) => name === 'page');
  return {
    id,
    path,
    summary,
    description,
    // The clients read whole answers in the envelope.
    parameters: parameters.filter(({ name }) => name !== 'format'),
    body: requestBody && readBody(requestBody.content['application/json']?.schema ?? {}),
    data,
    page: isPaged ? readPage(document, data, operation) : undefined,
  };
}

function readBody({ properties = {}, required = [] }: JsonSchema): Field[] {
  return fieldsOf(properties, required as readonly string[]);
}

function fieldsOf(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isOptional: !required.includes(name),
    meaning: schema.description,
  }));
}

function readPage(document: OpenApiDocument, data: JsonSchema, { parameters, operationId }: OperationObject) {
  const item = referredName(propertyOf(resolveInDocument(document, data), 'items').items as JsonSchema);
  const maxSize = parameters.find(({ name }) => name === 'pageSize')?.schema.maximum;
  if (item === undefined || typeof maxSize !== 'number') throw new Error(`${operationId} has no pages that are known`);
  return { item, maxSize };
}

/** The types that the schemas refer to. */
function listTypes(document: OpenApiDocument, schemas: readonly JsonSchema[]): ObjectType[] {
  const types = new Map<string, ObjectType>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const name = referredName(value as JsonSchema);
    if (name === undefined) {
      for (const part of Object.values(value)) visit(part);
    } else if (!types.has(name)) {
      const schema = resolveInDocument<JsonSchema>(document, value as JsonSchema);
      visit(schema);
      types.set(name, readType(name, schema));
    }
  };
  for (const schema of schemas) visit(schema);
  return [...types.values()];
}

function readType(name: string, schema: JsonSchema): ObjectType {
  const [base, ...parts] = (schema.allOf ?? [undefined, schema]) as [JsonSchema | undefined, ...JsonSchema[]];
  const fields = parts.flatMap((part) => {
    const { properties, required = [] } = part as { properties?: Record<string, JsonSchema>; required?: string[] };
    if (properties === undefined) throw new Error(`the schema ${name} is no object`);
    return fieldsOf(properties, required);
  });
  return { name, base: base && referredName(base), fields };
}

/** The schemas of `error` in all responses of operations that need a key, in the order of the operations. */
function listErrors(document: OpenApiDocument, operations: readonly PlacedOperation[]): JsonSchema[] {
  return operations
    .filter(({ security }) => security.length > 0)
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => Number(status) >= 400)
    .map(([, response]) => propertyOf(contentSchema(document, response), 'error'));
}

function listErrorCodes(errors: readonly JsonSchema[]): string[] {
  const codes = errors.flatMap((error) => propertyOf(error, 'code').enum as string[]);
  return [...new Set(codes)].sort();
}

function contentSchema(
  document: OpenApiDocument,
  response: OperationObject['responses'][string] | undefined,
): JsonSchema {
  const { content } = resolveInDocument(document, response ?? { $ref: '#/missing' });
  const schema = content?.['application/json']?.schema;
  if (schema === undefined) throw new Error('a response has no schema');
  return schema;
}

function propertyOf(schema: JsonSchema, name: string): JsonSchema {
  const property = (schema.properties as Record<string, JsonSchema> | undefined)?.[name];
  if (property === undefined) throw new Error(`a schema has no property ${name}`);
  return property;
}

/** The methods of a client's class: one for each operation, and one that iterates over all pages where it has pages. */
export function writeModelMethods(
  { operations }: ClientModel,
  writeMethod: (operation: ClientOperation) => string,
  writeIterator: (operation: ClientOperation, page: NonNullable<ClientOperation['page']>) => string,
): string {
  return operations
    .flatMap((one) => [writeMethod(one), ...(one.page === undefined ? [] : [writeIterator(one, one.page)])])
    .join('');
}

/** Text as lines of at most 120 characters, each with the same start. */
const MAX_LINE_LENGTH = 120;

export function wrapClientText(text: string, start: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < MAX_LINE_LENGTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(start + word);
  }
  return lines.join('\n');
}
