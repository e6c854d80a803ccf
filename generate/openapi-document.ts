/** The parts of an OpenAPI 3.1 document that are written here, and read again by what is made of the document. */

import type { JsonSchema } from '../src/api/description/json-schema.js';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, PathObject>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** The one operation of a path, by its method. */
interface PathObject {
  readonly get?: OperationObject;
  readonly post?: OperationObject;
}

export interface Reference {
  readonly $ref: string;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** Empty where no key is needed. */
  readonly security: readonly object[];
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: RequestBodyObject;
  /** By status. */
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly style?: 'form';
  readonly explode?: false;
  readonly schema: JsonSchema;
  readonly example?: string | number | boolean;
}

interface RequestBodyObject {
  readonly description: string;
  readonly required: true;
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example: unknown }>>;
}

export interface ResponseObject {
  readonly description: string;
  /** References to `components.headers`. */
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
}

export interface HeaderObject {
  readonly description: string;
  readonly required?: true;
  readonly schema: JsonSchema;
}

/** An operation with its path and its method. */
export interface PlacedOperation extends OperationObject {
  readonly path: string;
  readonly method: 'GET' | 'POST';
}

/** The operations in the order of the document. */
export function listDocumentOperations({ paths }: Pick<OpenApiDocument, 'paths'>): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [{ ...get, path, method: 'GET' as const }]),
    ...(post === undefined ? [] : [{ ...post, path, method: 'POST' as const }]),
  ]);
}

/** Follows a reference into the document. */
export function resolveInDocument<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.replace('#/', '').split('/');
  const found = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)?.[step], document);
  if (found === undefined) throw new Error(`the document has no ${value.$ref}`);
  return found as T;
}
