/** The documents as a whole: links lead somewhere, the table of contents has them all, and the map has every folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { marked, type Token, type Tokens } from 'marked';

const root = join(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const markdownIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const FOLDERS = ['.', 'docs', 'docs/contributing', 'data', 'clients/typescript', 'clients/python'];
const documents = FOLDERS.flatMap(markdownIn);

/** All tokens of a document of one type, also inside lists and tables. */
function tokensOf<Type extends Token['type']>(path: string, type: Type): Extract<Token, { type: Type }>[] {
  const found: Token[] = [];
  marked.walkTokens(marked.lexer(textOf(path)), (token) => void (token.type === type && found.push(token)));
  return found as Extract<Token, { type: Type }>[];
}

/** As GitHub makes it of a heading. */
function anchorOf({ text }: Tokens.Heading): string {
  const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
  return plain
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

const anchorsIn = (path: string): string[] => (tokensOf(path, 'heading') as Tokens.Heading[]).map(anchorOf);

test.each(documents)('the links of %s lead to files and headings that are there', (path) => {
  const hrefs = [...tokensOf(path, 'link'), ...tokensOf(path, 'image')].map(({ href }) => href as string);
  const dead = hrefs
    .filter((href) => !/^https?:/.test(href))
    .filter((href) => {
      const [file = '', anchor] = href.split('#');
      const target = file === '' ? path : relative(root, join(root, dirname(path), file));
      if (target.startsWith('..') || !existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsIn(target).includes(anchor);
    });
  expect(dead).toEqual([]);
});

test('the links are found', () => {
  expect(documents.length).toBeGreaterThan(15);
  expect(documents.flatMap((path) => tokensOf(path, 'link')).length).toBeGreaterThan(100);
});

test('no heading of a document is there twice, so that links to it are clear', () => {
  for (const path of documents) {
    const anchors = anchorsIn(path);
    expect({ path, twice: anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at) }).toEqual({
      path,
      twice: [],
    });
  }
});

test('the table of contents has every document once', () => {
  const listed = tokensOf('docs/README.md', 'link').map(({ href }) => join('docs', href as string));
  const all = [...markdownIn('docs'), ...markdownIn('docs/contributing')].filter((path) => path !== 'docs/README.md');
  expect(listed.filter((path) => path.startsWith('docs/')).sort()).toEqual([...all, 'docs/openapi.json'].sort());
});

test('README stays short', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(140);
});

describe('CONTRIBUTING.md', () => {
  const cellsOf = (head: string): string[] => {
    const table = (tokensOf('CONTRIBUTING.md', 'table') as Tokens.Table[]).find(
      ({ header }) => header[0]?.text === head,
    );
    return (table?.rows ?? []).map(
      ([first]) => first?.text.replace(/^\[(.*)\]\(.*\)$/, '$1').replaceAll('`', '') ?? '',
    );
  };

  test('maps every room of the sources, and no other', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}`);
    const mapped = cellsOf('Room');
    expect(mapped.filter((folder) => folder.startsWith('src/')).sort()).toEqual(folders.sort());
    expect(mapped.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
    for (const folder of ['build-index', 'test', 'docs']) expect(mapped).toContain(folder);
  });

  test('explains some twenty words, each once', () => {
    const words = cellsOf('Word');
    expect(words).toEqual(expect.arrayContaining(['leaf', 'unit', 'release', 'snapshot', 'slice', 'folding', 'rank']));
    expect(new Set(words).size).toBe(words.length);
    expect(words.length).toBeGreaterThanOrEqual(20);
  });
});
