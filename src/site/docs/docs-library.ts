/**
 * The documents of the site: the guides of the folder docs, and the reference, which is made of the description of the
 * API there (openapi.json). README.md of that folder is the table of contents: its headings are the sections, and the
 * documents of the same folder that it lists are the guides, in its order. All files are read at the start, which fails
 * where one is missing.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';
import { slugOf } from '../../core/snapshot/fold-text.js';
import { type ApiDescription, type ApiReference, REFERENCE, readReference } from './api-reference.js';
import { createDocsIndex, type DocsIndex } from './docs-search.js';
import { type Guide, readGuide } from './guides.js';
import { referencePassages } from './passages.js';

/** A line of the list of documents. */
export interface DocsEntry {
  readonly title: string;
  readonly path: string;
  /** One sentence. */
  readonly summary: string;
}

export interface DocsSection {
  /** The id of the section's heading on the page of contents. */
  readonly id: string;
  readonly title: string;
  readonly entries: readonly DocsEntry[];
}

export interface DocsLibrary {
  /** In the order of the table of contents. */
  readonly sections: readonly DocsSection[];
  readonly guides: readonly Guide[];
  readonly reference: ApiReference;
  /** The description of the API, an OpenAPI document. */
  readonly description: ApiDescription;
  findGuide(name: string): Guide | undefined;
  readonly index: DocsIndex;
  /** The paths of all pages of documents. */
  readonly paths: readonly string[];
  readonly digest: string;
}

const CONTENTS = 'README.md';
const DESCRIPTION = 'openapi.json';

export function readDocs(folder = join(packageRoot(), 'docs')): DocsLibrary {
  const hash = createHash('sha256');
  const read = (file: string): string => {
    const text = readText(join(folder, file));
    hash.update(`${file}\0${text.length}\0${text}`);
    return text;
  };
  const listed = readContents(read(CONTENTS));
  const known = new Set(listed.flatMap(({ files }) => files).flatMap((file) => guideName(file) ?? []));
  const guides = listed.flatMap(({ files }) => {
    // The section of the reference is about calling the API.
    const isForCallers = files.includes(DESCRIPTION);
    const names = files.flatMap((file) => guideName(file) ?? []);
    return names.map((name) => readGuide(name, read(`${name}.md`), known, isForCallers));
  });
  const description = parseDescription(join(folder, DESCRIPTION), read(DESCRIPTION));
  const findGuide = (name: string | undefined): Guide | undefined => guides.find((guide) => guide.name === name);
  const entriesOf = (file: string): readonly DocsEntry[] =>
    file === DESCRIPTION ? [REFERENCE] : [findGuide(guideName(file)) ?? []].flat();
  const reference = readReference(description);
  return {
    sections: listed
      .map(({ title, files }) => ({ id: slugOf(title), title, entries: files.flatMap(entriesOf) }))
      .filter(({ entries }) => entries.length > 0),
    guides,
    reference,
    description,
    findGuide,
    index: createDocsIndex([...referencePassages(reference), ...guides.flatMap(({ passages }) => passages)]),
    paths: ['/docs', REFERENCE.path, ...guides.map(({ path }) => path)],
    digest: hash.digest('hex'),
  };
}

function parseDescription(path: string, text: string): ApiDescription {
  try {
    const description = JSON.parse(text) as (ApiDescription & { readonly openapi?: unknown }) | null;
    if (typeof description?.openapi === 'string') return description;
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`${path} is no description of an API: it has no "openapi"`);
}

/** The headings of the second level, each with the files that its list links to. */
function readContents(text: string): { readonly title: string; readonly files: readonly string[] }[] {
  const [, ...parts] = text.split(/^## /m);
  return parts.map((part) => ({
    title: part.split('\n', 1)[0] ?? '',
    files: [...part.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, file]) => file as string),
  }));
}

/** The name of a document of this folder; undefined for any other file. */
function guideName(file: string): string | undefined {
  return /^([\w-]+)\.md$/.exec(file)?.[1];
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} can't be read: it belongs to the package and to every checkout`, { cause: error });
  }
}
