/**
 * The reference of the API, made of the tables that the API answers by (src/api): operations with their parameters and
 * answers, the answers that operations share, and the schemas.
 */
import { answerSchemas } from '../../api/answer-schemas.js';
import { bulkOperation } from '../../api/bulk.js';
import type { JsonSchema } from '../../api/json-schema.js';
import { PUBLIC_DESCRIPTION, type PublicOperation, publicOperations } from '../../api/public-operations.js';
import {
  bulkErrors,
  describeCodes,
  documentNotModified,
  keyedErrors,
  keylessErrors,
  notModified,
  ownNotFoundCodes,
  preflight,
  type SharedErrors,
  SUCCESS,
  statusOf,
  unroutedErrors,
} from '../../api/responses.js';
import { type Route, templateOf } from '../../api/route.js';
import { routes } from '../../api/routes.js';
import { describeService } from '../../api/service-info.js';
import { shapeOf } from './schema-shape.js';

export interface ApiReference {
  readonly title: string;
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
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Whether it needs a key. */
  readonly isKeyed: boolean;
  readonly parameters: readonly Parameter[];
  /** An example of the body, where it has one. */
  readonly body?: Readonly<Record<string, readonly object[]>>;
  /** Its own responses, with the shape of `data` for a success; '' without data. */
  readonly responses: readonly { readonly status: string; readonly description: string; readonly shape: string }[];
  /** Those of the shared answers that it can end with. */
  readonly shared: readonly Pick<SharedAnswer, 'name' | 'status'>[];
}

export interface SharedAnswer {
  readonly name: string;
  /** Empty where no operation ends with it. */
  readonly status: string;
  readonly description: string;
}

export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly shape: string;
  readonly description: string;
  readonly example: ExampleValue | undefined;
}

export type ExampleValue = string | number | boolean;

export interface NamedSchema {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly { readonly name: string; readonly shape: string; readonly description: string }[];
}

const METHOD = 'GET';

export function describeReference(): ApiReference {
  const { title, version, description } = describeService().info;
  return {
    title,
    version,
    description,
    operations: [...routes.map(keyedOperation), describeBulk(), ...publicOperations.map(publicOperation)],
    sharedAnswers: listSharedAnswers(),
    schemas: Object.entries(answerSchemas).map(([name, schema]) => describeSchema(name, schema)),
  };
}

function keyedOperation(route: Route): Operation {
  const { id, summary, description, data, errors, example, parameters } = route;
  const notFound = ownNotFoundCodes(errors);
  return {
    id,
    method: METHOD,
    path: templateOf(route),
    summary,
    description,
    isKeyed: true,
    parameters: parameters.map((parameter) => describeParameter(parameter, example[parameter.name])),
    responses: [
      { status: '200', description: SUCCESS, shape: shapeOf(data) },
      ...(notFound.length === 0 ? [] : [{ status: '404', description: describeCodes(notFound), shape: '' }]),
    ],
    shared: [sharedAnswer(notModified), ...sharedErrors(keyedErrors)],
  };
}

function describeBulk(): Operation {
  const { id, path, summary, description, parameters, body, example, data } = bulkOperation;
  const { properties = {}, required = [] } = body;
  return {
    id,
    method: 'POST',
    path,
    summary,
    description,
    isKeyed: true,
    parameters: [
      ...Object.entries(properties).map(([name, schema]) => ({
        name,
        place: 'body',
        isRequired: (required as readonly string[]).includes(name),
        shape: shapeOf(schema),
        description: `${schema.description}.`,
        example: undefined,
      })),
      ...parameters.map((parameter) => describeParameter(parameter, undefined)),
    ],
    body: example,
    responses: [{ status: '200', description: SUCCESS, shape: shapeOf(data) }],
    shared: sharedErrors(bulkErrors),
  };
}

function describeParameter(
  { name, source, isRequired, schema, meaning }: Route['parameters'][number],
  example: ExampleValue | undefined,
): Parameter {
  return { name, place: source, isRequired, shape: shapeOf(schema), description: `${meaning}.`, example };
}

function publicOperation({ id, path, summary, meaning, body, hasTag }: PublicOperation): Operation {
  return {
    id,
    method: METHOD,
    path,
    summary,
    description: PUBLIC_DESCRIPTION,
    isKeyed: false,
    parameters: [],
    responses: [{ status: '200', description: meaning, shape: shapeOf(body.properties?.data) }],
    shared: [...(hasTag ? [sharedAnswer(documentNotModified)] : []), ...sharedErrors(keylessErrors)],
  };
}

function listSharedAnswers(): SharedAnswer[] {
  const answers = [notModified, documentNotModified, preflight].map(sharedAnswer);
  const errors = sharedErrors({ ...keylessErrors, ...unroutedErrors, ...keyedErrors, ...bulkErrors });
  return [...answers, ...errors].sort((a, b) => (a.status < b.status ? -1 : Number(a.status > b.status)));
}

function sharedAnswer({ name, status, description }: typeof notModified): SharedAnswer {
  return { name, status: String(status ?? ''), description };
}

function sharedErrors(errors: SharedErrors): SharedAnswer[] {
  return Object.entries(errors).map(([name, codes]) => ({
    name,
    status: String(statusOf(codes)),
    description: describeCodes(codes),
  }));
}

function describeSchema(name: string, schema: JsonSchema): NamedSchema {
  return { name, description: schema.description ?? '', fields: fieldsOf(schema) };
}

/** The properties of an object, including those of its allOf. */
function fieldsOf(schema: JsonSchema): NamedSchema['fields'] {
  const { allOf = [], properties = {} } = resolve(schema);
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    shape: shapeOf(field),
    description: resolve(field).description ?? '',
  }));
  return [...allOf.flatMap(fieldsOf), ...own];
}

/** The schema that another one refers to. */
function resolve(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (answerSchemas[name as keyof typeof answerSchemas] as JsonSchema);
}
