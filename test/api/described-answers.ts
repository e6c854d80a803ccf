/**
 * Holds answers against docs/openapi.json, both ways: a status, a header, a content type or a field that is not described is
 * a fault, and so is one that is described and missing. The description leaves room for fields that later versions may
 * add; here every object is closed, so that a field cannot be added without being described.
 */

import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import {
  type HeaderObject,
  listDocumentOperations,
  type OpenApiDocument,
  type ParameterObject,
  type PlacedOperation,
  type Reference,
  type ResponseObject,
  resolveInDocument,
} from '../../generate/openapi-document.js';
import { MEDIA_TYPES } from '../../src/api/description/answer-formats.js';
import { LINES_TYPE } from '../../src/api/description/bulk-operation.js';
import type { JsonSchema } from '../../src/api/description/json-schema.js';
import { PHOTON_TAG } from '../../src/api/description/photon-operations.js';
import { importOutside } from '../fixtures/outside-jest.js';

export const descriptionText = readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8');
export const document = JSON.parse(descriptionText) as OpenApiDocument;

export interface SentAnswer {
  readonly method: string;
  /** The template of the route, as Express writes it; undefined where none was found. */
  readonly route: string | undefined;
  readonly status: number;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What HTTP itself says of a message, whatever the API. */
const HEADERS_OF_HTTP = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];

/** The responses to what is no operation, or was refused before one was found. */
const WITHOUT_ROUTE: Readonly<Record<number, string>> = {
  400: 'MalformedRequest',
  404: 'RouteNotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  413: 'PayloadTooLarge',
  414: 'UriTooLong',
  431: 'HeadersTooLarge',
};

const { schemaFaults } = (await importOutside(
  import.meta.resolve('./schema-faults.mjs'),
)) as typeof import('./schema-faults.mjs');
/** The closed schemas as JSON. */
const closedSchemas = new Map<JsonSchema, string>();

/** Without those of Photon's protocol, which a test turns on and holds against the description by itself. */
export const operations: readonly PlacedOperation[] = listDocumentOperations(document).filter(
  ({ tags }) => !tags.includes(PHOTON_TAG),
);

/** The example of an operation's success. */
export function exampleDataOf(operationId: string): unknown {
  const { content } = operationWith(operationId).responses[200] as ResponseObject;
  const example = content?.['application/json']?.example as { data: unknown } | undefined;
  if (example === undefined) throw new Error(`${operationId} has no example`);
  return example.data;
}

export function operationWith(operationId: string): PlacedOperation {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  if (operation === undefined) throw new Error(`no operation is called ${operationId}`);
  return operation;
}

/** The target of a request with these parameters. */
export function targetOf(
  { path, parameters }: { readonly path: string; readonly parameters: readonly ParameterObject[] },
  values: Readonly<Record<string, unknown>>,
): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: source } of parameters) {
    if (values[name] === undefined) continue;
    if (source === 'query') query.set(name, String(values[name]));
    else filled = filled.replace(`{${name}}`, encodeURIComponent(String(values[name])));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/** In what an answer is not as described. A damaged snapshot may give bodies of any kind: these are not looked at. */
export function findFaults(answer: SentAnswer, isSound = true): string[] {
  const { method, route, status, headers, body } = answer;
  const response = responseFor(answer);
  const where = `${method} ${route ?? '(no route)'} ${status}`;
  if (response === undefined) return [`${where} is not described`];
  const faults: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (HEADERS_OF_HTTP.includes(name)) continue;
    const header = response.headers[name];
    if (header === undefined) faults.push(`the header ${name} is not described`);
    else faults.push(...faultsOf(headerAt(header).schema, value, name));
  }
  for (const [name, header] of Object.entries(response.headers)) {
    if (headerAt(header).required && !(name in headers)) faults.push(`the header ${name} is missing`);
  }
  const isAsked = method !== 'HEAD';
  if (isAsked && (isSound || status !== 200)) faults.push(...faultsOfBody(response, headers['content-type'], body));
  return faults.map((fault) => `${where}: ${fault}`);
}

function headerAt(reference: Reference): HeaderObject {
  return resolveInDocument<HeaderObject>(document, reference);
}

function responseFor({ method, route, status }: SentAnswer): ResponseObject | undefined {
  const { responses } = document.components;
  if (method === 'OPTIONS' && status === 204) return responses.Preflight;
  if (route === undefined) return responses[WITHOUT_ROUTE[status] ?? ''];
  const operation = document.paths[route.replaceAll(/:(\w+)/g, '{$1}')];
  const { responses: described } = operation?.get ?? operation?.post ?? {};
  const response: ResponseObject | Reference | undefined = described?.[status];
  return response && resolveInDocument(document, response);
}

function faultsOfBody({ content }: ResponseObject, contentType: string | undefined, body: string): string[] {
  if (content === undefined) return body === '' ? [] : ['a body where none is described'];
  const described = content[contentType?.replace(/;.*/, '') ?? ''];
  if (described === undefined) return [`the content type ${contentType} is not described`];
  if (contentType === LINES_TYPE) {
    const lines = body.split('\n');
    const last = lines.pop() === '' ? [] : ['the last line has no end'];
    return [...lines.flatMap((line) => faultsOf(described.schema, parseJson(line), 'a line')), ...last];
  }
  if (contentType === MEDIA_TYPES.csv) return faultsOf(described.schema, body, 'the body');
  const value = parseJson(body);
  return value === undefined ? [`the body is not JSON: ${body}`] : faultsOf(described.schema, value, 'the body');
}

/** Undefined where it is no JSON, which must not break the server that is watched. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function faultsOf(schema: JsonSchema, value: unknown, what: string): string[] {
  let closed = closedSchemas.get(schema);
  if (closed === undefined) {
    closed = JSON.stringify(close(schema));
    closedSchemas.set(schema, closed);
  }
  // A header is text.
  const isNumber = schema.type === 'integer' && typeof value === 'string' && /^\d+$/.test(value);
  const faults = schemaFaults(closed, isNumber ? Number(value) : value);
  return faults === undefined ? [] : [`${what}: ${faults}`];
}

/** The schema without references, and with no other fields than it names; `isPart` of several that name one object's fields. */
function close(schema: JsonSchema, isPart = false): JsonSchema {
  const { allOf, anyOf, properties, items, ...rest } = resolveInDocument<JsonSchema>(document, schema);
  const closed: Record<string, unknown> = { ...rest };
  if (anyOf !== undefined) closed.anyOf = anyOf.map((choice) => close(choice));
  if (items !== undefined) closed.items = close(items as JsonSchema);
  if (properties !== undefined) closed.properties = closeEach(properties as Record<string, JsonSchema>);
  if (allOf !== undefined) {
    closed.allOf = (allOf as JsonSchema[]).map((part) => close(part, true));
    closed.type = 'object';
  }
  const isObject = properties !== undefined || allOf !== undefined;
  if (isObject && !isPart && rest.additionalProperties === undefined) closed.unevaluatedProperties = false;
  return closed;
}

function closeEach(properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, close(schema)]));
}

/** Tells of every answer that the server gives, once it is whole: those to requests, and those to what is no request. */
export function watchAnswers(server: Server, onAnswer: (answer: SentAnswer) => void): void {
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, (request: IncomingMessage, response: ServerResponse) => {
      watchResponse(request, response, onAnswer);
    });
  }
  server.prependListener('connection', (socket: Socket) => {
    const end = socket.end.bind(socket) as (...args: unknown[]) => Socket;
    socket.end = (...args: unknown[]) => {
      if (Buffer.isBuffer(args[0])) onAnswer(parseAnswer(args[0].toString('utf8')));
      return end(...args);
    };
  });
}

function watchResponse(
  request: IncomingMessage,
  response: ServerResponse,
  onAnswer: (answer: SentAnswer) => void,
): void {
  let written = '';
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  response.write = ((...args: unknown[]) => {
    written += Buffer.from(args[0] as string, args[1] as BufferEncoding).toString('utf8');
    return write(...args);
  }) as typeof response.write;
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  response.end = ((...args: unknown[]) => {
    const ended = end(...args);
    const { route } = (response as { locals?: { route?: string } }).locals ?? {};
    // A short body stands behind the head already (src/server/node-internals.ts).
    const sent = Buffer.from((response as ServerResponse & { _header: string })._header, 'latin1').toString('utf8');
    const { status, headers, body } = parseAnswer(sent);
    const [last] = args;
    const rest = Buffer.isBuffer(last) || typeof last === 'string' ? last.toString() : '';
    onAnswer({ method: request.method ?? '', route, status, headers, body: body + written + rest });
    return ended;
  }) as typeof response.end;
}

/** What node writes by itself. */
const OF_NODE = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

function parseAnswer(text: string): SentAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    const key = name.toLowerCase();
    if (!OF_NODE.includes(key)) headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return { method: '(none)', route: undefined, status: Number(first.split(' ')[1]), headers, body };
}
