/**
 * The description of the API as an OpenAPI 3.1 document, made of the code that answers: the route table with its
 * parameter rules, the schemas of answers, the table of errors, the headers. Nothing is decided here but the form. The
 * same code and the same starter dataset give the same document.
 */

import { describeCsv, formatsOf, MEDIA_TYPES } from '../src/api/description/answer-formats.js';
import { answerSchemas, successAnswerSchema } from '../src/api/description/answer-schemas.js';
import { type BulkOperation, bulkOperation, LINES_TYPE } from '../src/api/description/bulk-operation.js';
import { type Route, routeTemplateOf } from '../src/api/description/define-route.js';
import { ref } from '../src/api/description/json-schema.js';
import {
  PHOTON_TAG,
  type PhotonOperation,
  photonOperations,
  photonStatus,
} from '../src/api/description/photon-operations.js';
import {
  PUBLIC_DESCRIPTION,
  type PublicOperation,
  publicOperations,
} from '../src/api/description/public-operations.js';
import { routes } from '../src/api/description/routes.js';
import { apiInfo } from '../src/api/http/api-info.js';
import { KEY_PARAMETER } from '../src/api/http/key-check.js';
import type { Answerer } from './example-answers.js';
import type { OpenApiDocument, OperationObject, ParameterObject, ResponseObject } from './openapi-document.js';
import { headerObjects, headersOf } from './openapi-headers.js';
import {
  bulkResponses,
  JSON_TYPE,
  keyedResponses,
  keylessResponses,
  photonResponses,
  sharedResponses,
  successResponse,
} from './openapi-responses.js';
import { SUCCESS } from './shared-errors.js';

const CSV_TYPE = MEDIA_TYPES.csv.replace(/;.*/, '');
const KEY_SCHEME = 'apiKey';
const URL_KEY_SCHEME = 'publishableKey';
/** Any UUID would do. */
const EXAMPLE_CORRELATION_ID = '5f881a46-1348-4a29-983d-75415299a79d';

export function buildOpenapi(answer: Answerer): OpenApiDocument {
  const { info, tags } = apiInfo();
  const document = {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/', description: 'The server that this document came from' }],
    security: [{ [KEY_SCHEME]: [] }],
    tags,
    paths: Object.fromEntries([
      ...routes.map((route) => [routeTemplateOf(route), { get: operationOf(route, answer) }]),
      [bulkOperation.path, { post: describeBulk(bulkOperation, answer) }],
      ...photonOperations.map((operation) => [operation.path, { get: photonOperationOf(operation) }]),
      [photonStatus.path, { get: describePhotonStatus() }],
      ...publicOperations.map((operation) => [operation.path, { get: publicOperationOf(operation) }]),
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
          description:
            'Send it with every request. A secret key in the code of a web page can be read and used by anybody: web pages ' +
            'need a publishable key (`pp_pub_…`), which is bound to their origins, to operations and to a rate of each visitor.',
        },
        [URL_KEY_SCHEME]: {
          type: 'apiKey',
          in: 'query',
          name: KEY_PARAMETER,
          description:
            'A publishable key, where a web page can send no header. A secret key in a URL is refused with 401: it has leaked.',
        },
      },
    },
  };
  return document;
}

function operationOf(route: Route, answer: Answerer): OperationObject {
  const { id, data, errors } = route;
  const example = envelope(answer(route));
  const ofFormats = formatsOf(route).includes('csv') ? headersOf.list : headersOf.success;
  const headers = id === 'autocomplete' ? headersOf.suggestions : ofFormats;
  const answered = successResponse(SUCCESS, headers, successAnswerSchema(data), { example });
  return {
    ...keyedOperation(route, route.example),
    security: [{ [KEY_SCHEME]: [] }, { [URL_KEY_SCHEME]: [] }],
    responses: keyedResponses(errors, { ...answered, content: { ...answered.content, ...contentInFormats(route) } }),
  };
}

/** What a success holds in other formats than JSON. */
function contentInFormats(route: Route): NonNullable<ResponseObject['content']> {
  const formats = formatsOf(route);
  const features = ref(formats.includes('csv') ? 'FeatureCollection' : 'Feature');
  return {
    ...(formats.includes('geojson') ? { [MEDIA_TYPES.geojson]: { schema: features } } : {}),
    ...(formats.includes('csv') ? { [CSV_TYPE]: { schema: describeCsv(route) } } : {}),
  };
}

function describeBulk(operation: BulkOperation, answer: Answerer): OperationObject {
  const { data, line, body, example } = operation;
  const answered = successResponse(SUCCESS, headersOf.bulk, successAnswerSchema(data), {
    example: envelope(answer(operation)),
  });
  const others = { [LINES_TYPE]: { schema: line }, [MEDIA_TYPES.geojson]: { schema: ref('FeatureCollection') } };
  return {
    ...keyedOperation(operation, {}),
    requestBody: { description: 'The lookups.', required: true, content: { [JSON_TYPE]: { schema: body, example } } },
    responses: bulkResponses({ ...answered, content: { ...answered.content, ...others } }),
  };
}

/** What the description says of an operation that needs a key, before its body and its responses. */
function keyedOperation(
  operation: Route | BulkOperation,
  example: Route['example'],
): Omit<OperationObject, 'responses'> {
  const { id, summary, description } = operation;
  return {
    operationId: id,
    tags: ['Places'],
    summary,
    description,
    security: [{ [KEY_SCHEME]: [] }],
    parameters: listParameters(operation, example),
  };
}

function listParameters(
  { parameters }: Pick<PhotonOperation, 'parameters'>,
  example: Route['example'],
): ParameterObject[] {
  return parameters.map(({ name, source, isRequired, meaning, schema }) => ({
    name,
    in: source,
    required: isRequired,
    description: `${meaning}.`,
    // A list is one value with commas.
    ...(schema.type === 'array' && { style: 'form' as const, explode: false as const }),
    schema,
    ...(example[name] === undefined ? {} : { example: example[name] }),
  }));
}

function photonOperationOf(operation: PhotonOperation): OperationObject {
  const { id, summary, description, example } = operation;
  return {
    operationId: id,
    tags: [PHOTON_TAG],
    summary,
    description,
    security: [{ [KEY_SCHEME]: [] }, { [URL_KEY_SCHEME]: [] }],
    parameters: listParameters(operation, example),
    responses: photonResponses(successResponse(SUCCESS, headersOf.photon, ref('PhotonFeatures')), true),
  };
}

function describePhotonStatus(): OperationObject {
  const { path: _, id, ...texts } = photonStatus;
  const answered = successResponse(SUCCESS, headersOf.photonStatus, ref('PhotonStatus'));
  return {
    operationId: id,
    tags: [PHOTON_TAG],
    ...texts,
    security: [],
    parameters: [],
    responses: photonResponses(answered, false),
  };
}

function envelope(data: unknown): object {
  return { statusCode: 200, data, metadata: { correlationId: EXAMPLE_CORRELATION_ID } };
}

function publicOperationOf({ id, summary, meaning, body, type, hasTag }: PublicOperation): OperationObject {
  const headers = hasTag ? headersOf.document : headersOf.service;
  const response = successResponse(meaning, headers, body, type === undefined ? {} : { type });
  return {
    operationId: id,
    tags: ['Description'],
    summary,
    description: PUBLIC_DESCRIPTION,
    security: [],
    parameters: [],
    responses: keylessResponses(response, hasTag),
  };
}
