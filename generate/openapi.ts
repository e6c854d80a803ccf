/**
 * The description of the API as an OpenAPI 3.1 document, made of the code that answers: the route table with its
 * parameter rules, the schemas of answers, the table of errors, the headers. Nothing is decided here but the form. The
 * same code and the same starter dataset give the same document.
 */
import { answerSchemas, ref, successEnvelope } from '../src/http/answer-schemas.js';
import { CATALOG_CONTENT_TYPE, CATALOG_PATH } from '../src/http/api-description.js';
import { type JsonSchema, listOf, object, text } from '../src/http/json-schema.js';
import { DESCRIPTION_PATH } from '../src/http/render.js';
import { type Route, routes } from '../src/http/routes.js';
import type { Answerer } from './example-answers.js';
import type { OpenApiDocument, OperationObject, ResponseObject } from './openapi-document.js';
import { headerObjects, headersOfDocument, headersOfService, headersOfSuccess } from './openapi-headers.js';
import { describeService } from './openapi-info.js';
import { keyedResponses, keylessResponses, sharedResponses, success } from './openapi-responses.js';

const LINKSET_TYPE = CATALOG_CONTENT_TYPE.replace(/;.*/, '');
const KEY_SCHEME = 'apiKey';
/** Any UUID would do. */
const EXAMPLE_CORRELATION_ID = '5f881a46-1348-4a29-983d-75415299a79d';

export function describeApi(answer: Answerer): OpenApiDocument {
  const { info, tags } = describeService();
  const document = {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/', description: 'The server that this document came from' }],
    security: [{ [KEY_SCHEME]: [] }],
    tags,
    paths: Object.fromEntries([
      ...routes.map((route) => [templateOf(route), { get: operationOf(route, answer) }]),
      ...publicOperations().map(([path, get]) => [path, { get }]),
    ]),
    components: {
      schemas: answerSchemas,
      headers: headerObjects,
      responses: sharedResponses,
      securitySchemes: {
        [KEY_SCHEME]: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'Send it with every request. A key in the code of a web page can be read by anybody.',
        },
      },
    },
  };
  return document;
}

/** A route's path as OpenAPI writes it. */
export function templateOf({ path }: Pick<Route, 'path'>): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function operationOf(route: Route, answer: Answerer): OperationObject {
  const { id, summary, description, data, errors } = route;
  const example = { statusCode: 200, data: answer(route), metadata: { correlationId: EXAMPLE_CORRELATION_ID } };
  return {
    operationId: id,
    tags: ['Places'],
    summary,
    description,
    security: [{ [KEY_SCHEME]: [] }],
    parameters: route.parameters.map(({ name, source, isRequired, meaning, schema }) => ({
      name,
      in: source,
      required: isRequired,
      description: `${meaning}.`,
      schema,
      ...(route.example[name] === undefined ? {} : { example: route.example[name] }),
    })),
    responses: keyedResponses(errors, success('The answer', headersOfSuccess, successEnvelope(data), { example })),
  };
}

/** What needs no key and costs no quota. */
function publicOperations(): [path: string, operation: OperationObject][] {
  const openapi = object({ openapi: text('Version of OpenAPI'), info: { type: 'object' }, paths: { type: 'object' } });
  const service = success('What the service is', headersOfService, successEnvelope(ref('Service')));
  const document = success('This document', headersOfDocument, { ...openapi, additionalProperties: true });
  const catalog = success('A set of links (RFC 9264)', headersOfDocument, linkset(), { type: LINKSET_TYPE });
  return [
    ['/', publicOperation('getService', 'Name the service', service, false)],
    [DESCRIPTION_PATH, publicOperation('getDescription', 'Get this description', document, true)],
    [CATALOG_PATH, publicOperation('getCatalog', 'Get the catalog of APIs (RFC 9727)', catalog, true)],
  ];
}

function publicOperation(
  operationId: string,
  summary: string,
  response: ResponseObject,
  hasTag: boolean,
): OperationObject {
  return {
    operationId,
    tags: ['Description'],
    summary,
    description: 'Needs no key and costs no quota.',
    security: [],
    parameters: [],
    responses: keylessResponses(response, hasTag),
  };
}

function linkset(): JsonSchema {
  const link = object({ href: text('Where it is'), type: text('Its media type') });
  return object({ linkset: listOf(object({ anchor: text('The API'), 'service-desc': listOf(link) })) });
}
