/**
 * The reference of the API, read from its description (OpenAPI 3.1): operations with their parameters and answers, and
 * schemas. References inside the document are followed; what a description may leave out is left out of the page.
 */

export interface ApiReference {
  /** The description as it is. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
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
  /** The shape is that of `data` in a success; empty where there is none. */
  readonly responses: readonly { readonly status: string; readonly description: string; readonly shape: string }[];
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

type Node = Readonly<Record<string, unknown>>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
/** References to references end somewhere, or are a circle. */
const MAX_STEPS = 10;

/** `path` is where the text was read. Throws an Error that says what is wrong with it. */
export function readReference(path: string, text: string): ApiReference {
  const document = parse(path, text);
  const description = new Description(document);
  const info = nodeAt(document, 'info');
  return {
    document,
    title: textAt(info, 'title'),
    version: textAt(info, 'version'),
    description: textAt(info, 'description'),
    operations: description.operations(),
    schemas: description.schemas(),
  };
}

function parse(path: string, text: string): Node {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isNode(document) || !textAt(document, 'openapi').startsWith('3.') || !isNode(document.paths)) {
    throw new Error(`${path} is no description of an API: it must have "openapi": "3.…" and "paths"`);
  }
  return document;
}

class Description {
  constructor(private readonly document: Node) {}

  operations(): Operation[] {
    return Object.entries(nodeAt(this.document, 'paths')).flatMap(([path, item]) => {
      const node = this.#follow(item);
      return METHODS.flatMap((method) => {
        const operation = node[method];
        return isNode(operation) ? [this.#operation(method, path, operation, listAt(node, 'parameters'))] : [];
      });
    });
  }

  schemas(): NamedSchema[] {
    return Object.entries(nodeAt(nodeAt(this.document, 'components'), 'schemas')).map(([name, schema]) => {
      const node = this.#follow(schema);
      return { name, description: textAt(node, 'description'), fields: this.#fieldsOf(node) };
    });
  }

  #operation(method: string, path: string, node: Node, shared: readonly unknown[]): Operation {
    return {
      id: textAt(node, 'operationId') || `${method}-${path}`,
      method: method.toUpperCase(),
      path,
      summary: textAt(node, 'summary'),
      description: textAt(node, 'description'),
      isKeyed: listAt('security' in node ? node : this.document, 'security').length > 0,
      parameters: [...shared, ...listAt(node, 'parameters')].map((parameter) => this.#parameter(parameter)),
      responses: Object.entries(nodeAt(node, 'responses')).map(([status, response]) => {
        const { content, ...rest } = this.#follow(response);
        const [media] = Object.values(isNode(content) ? content : {});
        const schema = isNode(media) ? media.schema : undefined;
        return {
          status,
          description: textAt(rest, 'description'),
          shape: this.#shapeOf(nodeAt(this.#follow(schema), 'properties').data),
        };
      }),
    };
  }

  #parameter(parameter: unknown): Parameter {
    const node = this.#follow(parameter);
    return {
      name: textAt(node, 'name'),
      place: textAt(node, 'in'),
      isRequired: node.required === true,
      shape: this.#shapeOf(node.schema),
      description: textAt(node, 'description'),
      example: isExampleValue(node.example) ? node.example : undefined,
    };
  }

  /** Of an object, with what it is made of by allOf. */
  #fieldsOf(node: Node): NamedSchema['fields'] {
    const parts = listAt(node, 'allOf').flatMap((part) => this.#fieldsOf(this.#follow(part)));
    const own = Object.entries(nodeAt(node, 'properties')).map(([name, schema]) => ({
      name,
      shape: this.#shapeOf(schema),
      description: textAt(this.#follow(schema), 'description'),
    }));
    return [...parts, ...own];
  }

  /** In a few words: "array of Place", "integer from 1 to 100, default 50", "string or null". */
  #shapeOf(schema: unknown): string {
    if (!isNode(schema)) return '';
    if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? '';
    const choices = [...listAt(schema, 'oneOf'), ...listAt(schema, 'anyOf')];
    if (choices.length > 0) return choices.map((choice) => this.#shapeOf(choice)).join(' or ');
    const parts = listAt(schema, 'allOf');
    if (parts.length > 0) return parts.map((part) => this.#shapeOf(part)).join(' with ');
    if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    const types = [schema.type].flat().filter((type): type is string => typeof type === 'string');
    const names = types.map((type) =>
      type === 'array' ? `array of ${this.#shapeOf(schema.items) || 'anything'}` : type,
    );
    return names.join(' or ') + boundsOf(schema);
  }

  /** What a reference of the document, "#/components/…", leads to; anything else as it is. */
  #follow(value: unknown): Node {
    let node = value;
    for (let step = 0; step < MAX_STEPS && isNode(node) && typeof node.$ref === 'string'; step++) {
      const names = node.$ref.replace(/^#\//, '').split('/');
      node = names
        .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<unknown>((parent, name) => (isNode(parent) ? parent[name] : undefined), this.document);
    }
    return isNode(node) ? node : {};
  }
}

function boundsOf({ minimum, maximum, minLength, maxLength, default: fallback, format }: Node): string {
  const range = (from: unknown, to: unknown, unit: string): string =>
    [from !== undefined && ` from ${from}`, to !== undefined && ` to ${to}`].filter(Boolean).join('') + unit;
  const isCounted = minLength !== undefined || maxLength !== undefined;
  const isBounded = minimum !== undefined || maximum !== undefined;
  return [
    typeof format === 'string' ? ` (${format})` : '',
    isBounded ? range(minimum, maximum, '') : '',
    isCounted ? ` of${range(minLength, maxLength, ' characters').replace(/^ from/, '')}` : '',
    fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`,
  ].join('');
}

function isExampleValue(value: unknown): value is ExampleValue {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nodeAt(node: Node, name: string): Node {
  const value = node[name];
  return isNode(value) ? value : {};
}

function listAt(node: Node, name: string): readonly unknown[] {
  const value = node[name];
  return Array.isArray(value) ? value : [];
}

function textAt(node: Node, name: string): string {
  const value = node[name];
  return typeof value === 'string' ? value : '';
}
