/**
 * What a client library needs of the description, whatever its language: the operations about data, the types of
 * their answers and the codes of their errors. Types stand before those that use them.
 */
import type { JsonSchema } from '../src/api/json-schema.js';
import { type OpenApiDocument, type OperationObject, type ParameterObject, resolve } from './openapi-document.js';

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
  readonly data: JsonSchema;
  /** Where `data` is a page: the name of the type of its items, and the most that a page has. */
  readonly page: { readonly item: string; readonly maxSize: number } | undefined;
}

export function readModel(document: OpenApiDocument): ClientModel {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .map(([path, { get }]) => readOperation(document, path, get));
  const errors = listErrors(document);
  const types = listTypes(
    document,
    operations.map(({ data }) => data),
  );
  return {
    title: document.info.title,
    types,
    operations,
    errorCodes: listErrorCodes(errors),
    errorTypes: listTypes(document, errors).filter(({ name }) => !types.some((type) => type.name === name)),
  };
}

/** The name of the type that a schema refers to; undefined where it does not. */
export function referredName(schema: JsonSchema): string | undefined {
  return typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}

function readOperation(document: OpenApiDocument, path: string, get: OperationObject): ClientOperation {
  const { operationId: id, summary, description, parameters } = get;
  const data = propertyOf(contentSchema(document, get.responses[200]), 'data');
  const isPaged = parameters.some(({ name }) => name === 'page');
  return {
    id,
    path,
    summary,
    description,
    parameters,
    data,
    page: isPaged ? readPage(document, data, get) : undefined,
  };
}

function readPage(document: OpenApiDocument, data: JsonSchema, { parameters, operationId }: OperationObject) {
  const item = referredName(propertyOf(resolve(document, data), 'items').items as JsonSchema);
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
      const schema = resolve<JsonSchema>(document, value as JsonSchema);
      visit(schema);
      types.set(name, readType(name, schema));
    }
  };
  for (const schema of schemas) visit(schema);
  return [...types.values()];
}

function readType(name: string, schema: JsonSchema): ObjectType {
  const [base, own] = (schema.allOf ?? [undefined, schema]) as [JsonSchema | undefined, JsonSchema];
  const { properties, required = [] } = own as { properties?: Record<string, JsonSchema>; required?: string[] };
  if (properties === undefined) throw new Error(`the schema ${name} is no object`);
  const fields = Object.entries(properties).map(([field, fieldSchema]) => ({
    name: field,
    schema: fieldSchema,
    isOptional: !required.includes(field),
    meaning: fieldSchema.description as string | undefined,
  }));
  return { name, base: base && referredName(base), fields };
}

/** The schemas of `error` in all responses of operations that need a key, in the order of the document. */
function listErrors(document: OpenApiDocument): JsonSchema[] {
  return Object.values(document.paths)
    .filter(({ get }) => get.security.length > 0)
    .flatMap(({ get }) => Object.entries(get.responses))
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
  const { content } = resolve(document, response ?? { $ref: '#/missing' });
  const schema = content?.['application/json']?.schema;
  if (schema === undefined) throw new Error('a response has no schema');
  return schema;
}

function propertyOf(schema: JsonSchema, name: string): JsonSchema {
  const property = (schema.properties as Record<string, JsonSchema> | undefined)?.[name];
  if (property === undefined) throw new Error(`a schema has no property ${name}`);
  return property;
}
