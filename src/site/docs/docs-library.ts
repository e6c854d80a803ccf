/**
 * The documents of the site: the guides of the folder docs, the description of the API there (openapi.json), and the
 * reference. They are read at the start, which fails without the description; a guide is rendered when it is first asked
 * for.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/package-root.js';
import { type Guide, readGuide } from './guide.js';
import { type ApiReference, describeReference } from './reference.js';

export interface DocsLibrary {
  /** By title. */
  readonly guides: readonly Guide[];
  readonly reference: ApiReference;
  /** The description of the API, an OpenAPI document. */
  readonly description: object;
  findGuide(name: string): Guide | undefined;
  /** Of every page. */
  readonly paths: readonly string[];
  readonly digest: string;
}

const DESCRIPTION = 'openapi.json';

/** Throws an Error that names the file and says what to do where one can't be read or is no description. */
export function readDocs(folder = join(packageRoot(), 'docs')): DocsLibrary {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length));
  const known = new Set(names);
  const hash = createHash('sha256');
  const read = (name: string): string => {
    const text = readText(join(folder, name));
    hash.update(`${name}\0${text.length}\0${text}`);
    return text;
  };
  const guides = names.sort().map((name) => readGuide(name, read(`${name}.md`), known));
  guides.sort((a, b) => (a.title < b.title ? -1 : 1));
  const description = parseDescription(join(folder, DESCRIPTION), read(DESCRIPTION));
  return {
    guides,
    reference: describeReference(),
    description,
    findGuide: (name) => guides.find((guide) => guide.name === name),
    paths: ['/docs', '/docs/reference', '/docs/console', ...guides.map(({ path }) => path)],
    digest: hash.digest('hex'),
  };
}

function parseDescription(path: string, text: string): object {
  try {
    const description = JSON.parse(text) as { openapi?: unknown } | null;
    if (typeof description?.openapi === 'string') return description;
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`${path} is no description of an API: it has no "openapi"`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} can't be read: it belongs to the package and to every checkout`, { cause: error });
  }
}
