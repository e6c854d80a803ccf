/**
 * The reference of the API, read from its OpenAPI description: operations of any method with their parameters, body and
 * answers, the answers that operations share, and the schemas. The description is generated from the tables that the
 * API answers by, so an operation that is added there has its place here.
 */

import type { JsonSchema } from '../../api/description/json-schema.js';
import { PHOTON_TAG } from '../../api/description/photon-operations.js';

/** The page made of the OpenAPI description. */
export const REFERENCE = {
  title: 'Reference',
  path: '/docs/reference',
  summary: 'Every call with its response, and a form to try it.',
};

export interface ApiReference {
  readonly title: string;
  readonly summary: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /** The responses that several operations refer to, and those to requests for no operation; by status. */
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
  /** The JSON body of the request; undefined for an operation without one. */
  readonly body: Body | undefined;
  /** Its own responses. */
  readonly responses: readonly OwnAnswer[];
  /** The shared responses that the operation can end with. */
  readonly shared: readonly Pick<SharedAnswer, 'name' | 'status'>[];
  /** `data` of the example of a success; undefined without an example. */
  readonly exampleData: unknown;
}

export interface Body {
  readonly schema: JsonSchema;
  /** Empty if the schema has a name of its own, or is no object. */
  readonly fields: NamedSchema['fields'];
  readonly example: unknown;
}

export interface OwnAnswer {
  readonly status: string;
  readonly description: string;
  /** The schema of `data`; undefined for responses without data. */
  readonly data: JsonSchema | undefined;
}

export interface SharedAnswer {
  readonly name: string;
  /** Empty if no operation ends with this response. */
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
    if ('$ref' in response) shared.push({ name: nameInReference(response.$ref), status });
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

/** Each response has one status in the description; of several, the last would count. */
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
  const resolve = (one: JsonSchema): JsonSchema =>
    one.$ref === undefined ? one : (schemas[nameInReference(one.$ref)] ?? {});
  const { allOf = [], properties = {} } = resolve(schema);
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    description: field.description ?? resolve(field).description ?? '',
  }));
  return [...allOf.flatMap((part) => fieldsOf(part, schemas)), ...own];
}

/** The name at the end of a `$ref`. */
export function nameInReference(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}
