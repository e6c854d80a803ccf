/**
 * The reference of the API, read from its description (OpenAPI 3.1): operations with their parameters and answers, and
 * schemas. References inside the document are followed; what a description may leave out is left out of the page.
 */
import { isNode, listAt, type Node, nodeAt, textAt } from './description-node.js';
import { shapeOf } from './schema-shape.js';

export interface ApiReference {
  /** The description as it is. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
  /** The answers that operations refer to and do not have for themselves, and those to what is no operation; by status. */
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
  /** Its own answers. The shape is that of `data` in a success; empty where there is none. */
  readonly responses: readonly { readonly status: string; readonly description: string; readonly shape: string }[];
  /** Those of the shared answers that it can end with. */
  readonly shared: readonly Pick<SharedAnswer, 'name' | 'status'>[];
}

export interface SharedAnswer {
  readonly name: string;
  /** Empty where the description does not tell. */
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
    sharedAnswers: description.sharedAnswers(),
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

  sharedAnswers(): SharedAnswer[] {
    const used = new Map(this.operations().flatMap(({ shared }) => shared.map(({ name, status }) => [name, status])));
    return Object.entries(nodeAt(nodeAt(this.document, 'components'), 'responses'))
      .map(([name, response]) => {
        const node = this.#follow(response);
        const { statusCode } = nodeAt(this.#bodyOf(node), 'properties');
        const said = isNode(statusCode) && statusCode.const !== undefined ? String(statusCode.const) : '';
        return { name, status: used.get(name) ?? said, description: textAt(node, 'description') };
      })
      .sort((a, b) => (a.status < b.status ? -1 : Number(a.status > b.status)));
  }

  /** The schema of a response's body. */
  #bodyOf({ content }: Node): Node {
    const [media] = Object.values(isNode(content) ? content : {});
    return this.#follow(isNode(media) ? media.schema : undefined);
  }

  #operation(method: string, path: string, node: Node, common: readonly unknown[]): Operation {
    const answers = Object.entries(nodeAt(node, 'responses'));
    const shared = answers.flatMap(([status, response]) => {
      const name = sharedName(response);
      return name === undefined ? [] : [{ name, status }];
    });
    return {
      id: textAt(node, 'operationId') || `${method}-${path}`,
      method: method.toUpperCase(),
      path,
      summary: textAt(node, 'summary'),
      description: textAt(node, 'description'),
      isKeyed: listAt('security' in node ? node : this.document, 'security').length > 0,
      parameters: [...common, ...listAt(node, 'parameters')].map((parameter) => this.#parameter(parameter)),
      responses: answers
        .filter(([, response]) => sharedName(response) === undefined)
        .map(([status, response]) => {
          const own = this.#follow(response);
          const shape = shapeOf(nodeAt(this.#bodyOf(own), 'properties').data);
          return { status, description: textAt(own, 'description'), shape };
        }),
      shared,
    };
  }

  #parameter(parameter: unknown): Parameter {
    const node = this.#follow(parameter);
    return {
      name: textAt(node, 'name'),
      place: textAt(node, 'in'),
      isRequired: node.required === true,
      shape: shapeOf(node.schema),
      description: textAt(node, 'description'),
      example: isExampleValue(node.example) ? node.example : undefined,
    };
  }

  /** Of an object, with what it is made of by allOf. */
  #fieldsOf(node: Node): NamedSchema['fields'] {
    const parts = listAt(node, 'allOf').flatMap((part) => this.#fieldsOf(this.#follow(part)));
    const own = Object.entries(nodeAt(node, 'properties')).map(([name, schema]) => ({
      name,
      shape: shapeOf(schema),
      description: textAt(this.#follow(schema), 'description'),
    }));
    return [...parts, ...own];
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

const SHARED_RESPONSE = /^#\/components\/responses\/([^/]+)$/;

/** Undefined for a response that stands in its operation. */
function sharedName(response: unknown): string | undefined {
  const pointer = isNode(response) ? textAt(response, '$ref') : '';
  return SHARED_RESPONSE.exec(pointer)?.[1];
}

function isExampleValue(value: unknown): value is ExampleValue {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
