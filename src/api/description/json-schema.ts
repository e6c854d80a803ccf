/**
 * JSON Schema (2020-12) as plain objects, and the few forms that the description of the API is made of. Nothing here is
 * read when a request is answered. An object's fields are all required unless they are named as optional; fields that
 * are not described are allowed, so that a later version may add some.
 */

export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

export function object(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

export function listOf(items: JsonSchema, limits: { readonly maxItems?: number } = {}): JsonSchema {
  return { type: 'array', items, ...limits };
}

/** A reference to a schema that the description has under its name. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type ?? [], 'null'].flat() };
}

export function text(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', description, ...more };
}

export function count(description: string, minimum = 0): JsonSchema {
  return { type: 'integer', minimum, description };
}
