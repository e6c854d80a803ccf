/**
 * The documents of the site: the guides of the folder docs, the description of the API there (openapi.json), and the
 * reference. README.md of that folder is the table of contents: its headings are the sections, and the documents of the
 * same folder that it lists are the guides, in its order. All files are read at the start, which fails where one is
 * missing; a guide is rendered when it is first asked for.
 *
 * In a guide, markup is shown and not passed through, links lead to other guides, to the reference or to the web, and a
 * link to any other file is left as its text. A call in several languages, which is one code block after another, is
 * shown in one of them at a time.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { packageRoot } from '../../base/package-root.js';
import { slugOf } from '../../core/snapshot/slug.js';
import { escapeHtml, Html, html, wideTable } from '../html/html.js';
import {
  type DocsIndex,
  headingId,
  indexPassages,
  listPassages,
  type Passage,
  plainText,
  type RowIds,
} from './docs-search.js';
import { type CallExample, codeTabs, type FirstCall, printedPlace } from './example-calls.js';
import {
  type ApiDescription,
  type ApiReference,
  answerAnchor,
  parameterAnchor,
  readReference,
  schemaAnchor,
  wholeJson,
} from './reference.js';

/** A line of the list of documents. */
export interface DocsEntry {
  readonly title: string;
  readonly path: string;
  /** One sentence. */
  readonly summary: string;
}

export interface DocsSection {
  /** Of its heading on the page of contents. */
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
  /** Of every page. */
  readonly paths: readonly string[];
  readonly digest: string;
}

const CONTENTS = 'README.md';
const DESCRIPTION = 'openapi.json';
/** The page made of the OpenAPI description. */
export const REFERENCE: DocsEntry = {
  title: 'Reference',
  path: '/docs/reference',
  summary: 'Every call with its response, and a form to try it with your key.',
};

/** Throws an Error with the file and a remedy if a file can't be read or is no OpenAPI description. */
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
    index: indexPassages([...referencePassages(reference), ...guides.flatMap(({ passages }) => passages)]),
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

/**
 * Where documents went that had an address of their own: by their path, the path and heading at which their subject stands
 * now. Add a line when a document is removed or renamed, so that links from elsewhere keep leading somewhere.
 */
export const movedGuides: ReadonlyMap<string, string> = new Map([
  ['/docs/console', '/docs/reference'],
  ['/docs/corrections', '/docs/building#corrections'],
  ['/docs/data', '/docs/data-and-names'],
  ['/docs/data-and-releases', '/docs/building'],
  ['/docs/downloading-and-comparing', '/docs/building'],
  ['/docs/gazetteer', '/docs/building#cities'],
  ['/docs/names', '/docs/data-and-names#names'],
  ['/docs/snapshot-format', '/docs/building#build'],
]);

export interface Guide {
  /** The file's name without its ending. */
  readonly name: string;
  readonly path: string;
  readonly title: string;
  /** The first paragraph as plain text. */
  readonly summary: string;
  /** Headings of the second level. */
  readonly sections: readonly { readonly id: string; readonly title: string }[];
  /** The first paragraph. */
  readonly introduction: Html;
  readonly passages: readonly Passage[];
  /**
   * All but title and introduction. Where the guide is for people who call the API, calls go to `apiUrl` and to
   * `siteUrl`, and the first call of the documents, `described`, is the one that the snapshot answers, `served`.
   */
  body(
    addresses: { readonly apiUrl: string; readonly siteUrl: string },
    described?: FirstCall,
    served?: FirstCall,
  ): Html;
}

/** The addresses of the API and of the site in the documents: those that `npm start` starts. */
const LOCAL_API = 'http://127.0.0.1:3000';
const LOCAL_SITE = 'http://127.0.0.1:3001';

/** `guideNames` are those of all guides; `isForCallers` tells whether the guide is for people who call the API. */
function readGuide(name: string, text: string, guideNames: ReadonlySet<string>, isForCallers: boolean): Guide {
  const rowIds: RowIds = new Map();
  const marked = createRenderer(guideNames, rowIds);
  const tokens = marked.lexer(text);
  const path = `/docs/${name}`;
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  const first = tokens.find((token): token is Tokens.Paragraph => token.type === 'paragraph');
  const title = headings.find(({ depth }) => depth === 1);
  const rest = tokens.filter((token) => token !== title && token !== first);
  const render = (): Html =>
    new Html(
      splitCalls(rest)
        .map((part, index) => renderPart(marked, part, `call-${index}`))
        .join(''),
    );
  const answers = tokens.flatMap((token) => (token.type === 'code' && token.lang === 'json' ? [token.text] : []));
  let body: Html | undefined;
  return {
    name,
    path,
    title: plainText(title?.text ?? name),
    summary: plainText(first?.text ?? ''),
    introduction: new Html(first === undefined ? '' : marked.parser([first])),
    passages: listPassages(tokens, { path, headings: [] }, rowIds),
    sections: headings
      .filter(({ depth }) => depth === 2)
      .map((heading) => ({ id: headingId(heading.text), title: plainText(heading.text) })),
    body({ apiUrl, siteUrl }, described, served) {
      body ??= render();
      if (!isForCallers) return body;
      const ofFirstCall = described === undefined || served === undefined ? [] : listServed(answers, described, served);
      // Answers are found as the document has them, with its addresses.
      const replaced = [...ofFirstCall, [LOCAL_API, apiUrl], [LOCAL_SITE, siteUrl]] as const;
      let { text } = body;
      for (const [from, to] of replaced) text = text.replaceAll(escapeHtml(from), () => escapeHtml(to));
      return new Html(text);
    },
  };
}

/** What stands in a document for the described call, each with what the served call has in its place. */
function listServed(answers: readonly string[], described: FirstCall, served: FirstCall): [string, string][] {
  const place: [string, string] = [printedPlace(described), printedPlace(served)];
  if (served.target === described.target) return [place];
  const bodies = answers.flatMap((text): [string, string][] => {
    const answer = parseAnswer(text);
    const isOfCall = answer?.data?.places?.[0]?.path === described.data.places[0]?.path;
    return isOfCall ? [[text, wholeJson({ ...answer, data: served.data })]] : [];
  });
  return [place, [described.target, served.target], ...bodies];
}

/** Undefined for an answer that is shortened, and so no JSON. */
function parseAnswer(text: string): { readonly data?: Partial<FirstCall['data']> } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The languages in which a call may be shown, by their names in Markdown. */
const LANGUAGES: ReadonlyMap<string | undefined, CallExample['language']> = new Map([
  ['sh', 'curl'],
  ['js', 'JavaScript'],
  ['python', 'Python'],
]);

/** A call in several languages, or other tokens. */
type Part = { readonly calls: readonly CallExample[] } | { readonly tokens: readonly Token[] };

/** Code blocks in different languages, one after another, are one call. */
function splitCalls(tokens: readonly Token[]): Part[] {
  const parts: Part[] = [];
  let from = 0;
  while (from < tokens.length) {
    const calls: CallExample[] = [];
    let at = from;
    for (; at < tokens.length; at++) {
      const token = tokens[at] as Token;
      if (token.type === 'space' && calls.length > 0) continue;
      const language = token.type === 'code' ? LANGUAGES.get(token.lang) : undefined;
      if (language === undefined || calls.some((call) => call.language === language)) break;
      calls.push({ language, code: (token as Tokens.Code).text });
    }
    if (calls.length > 1) parts.push({ calls });
    else {
      at = from + 1;
      parts.push({ tokens: tokens.slice(from, at) });
    }
    from = at;
  }
  return parts;
}

function renderPart(marked: Marked, part: Part, id: string): string {
  return 'tokens' in part ? marked.parser([...part.tokens]) : html`${codeTabs(id, part.calls)}`.text;
}

const OUTSIDE_OF_GUIDES = createRenderer(new Set());

/** The calls with their parameters and responses, the rules, the responses that calls share, and the schemas. */
function referencePassages({ description, operations, sharedAnswers, schemas }: ApiReference): Passage[] {
  const of = (id: string, ...headings: string[]): Pick<Passage, 'path' | 'headings'> => ({
    path: `${REFERENCE.path}#${id}`,
    headings: [REFERENCE.title, ...headings],
  });
  const blocks = (text: string, at: Pick<Passage, 'path' | 'headings'>): Passage[] =>
    text === '' ? [] : listPassages(OUTSIDE_OF_GUIDES.lexer(text), at);
  const ofOperations = operations.flatMap((operation): Passage[] => {
    const { id, method, path, summary, description, parameters, body, responses } = operation;
    const at = of(slugOf(id), summary, path);
    const text = `${method} ${path}: ${plainText(description)}`;
    return [
      { ...at, term: summary, text },
      { ...at, term: id, text },
      ...parameters.map((parameter) => ({
        path: `${REFERENCE.path}#${parameterAnchor(operation, parameter)}`,
        headings: at.headings,
        term: parameter.name,
        text: plainText(parameter.description),
      })),
      ...(body?.fields ?? []).map((field) => ({ ...at, term: field.name, text: plainText(field.description) })),
      ...responses.flatMap((response) => blocks(response.description, at)),
    ];
  });
  return [
    ...ofOperations,
    ...blocks(description, of('requests')),
    ...sharedAnswers.flatMap(({ name, status, description }) =>
      blocks(description, of(answerAnchor(name), `${status} ${name}`.trim())),
    ),
    ...schemas.flatMap(({ name, description, fields }) => {
      const at = of(schemaAnchor(name), name);
      return [
        { ...at, term: name, text: plainText(description) },
        ...fields.map((field) => ({ ...at, term: field.name, text: plainText(field.description) })),
      ];
    }),
  ];
}

/** A text of the API's description, which is Markdown as well, as blocks. */
export function renderBlocks(text: string): Html {
  return new Html(OUTSIDE_OF_GUIDES.parse(text, { async: false }));
}

/** The same as a part of a line. */
export function renderInline(text: string): Html {
  return new Html(OUTSIDE_OF_GUIDES.parseInline(text, { async: false }));
}

function createRenderer(guideNames: ReadonlySet<string>, rowIds: RowIds = new Map()): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${headingId(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = targetOf(href, guideNames);
        const inside = this.parser.parseInline(tokens);
        return target === undefined ? inside : `<a href="${escapeHtml(target)}">${inside}</a>`;
      },
      // Focusable, so that a keyboard can scroll it.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      table(token) {
        // An empty head is no head: screen readers would say nothing.
        const tagOf = (cell: Tokens.TableCell, tag: string): string => (cell.text === '' ? 'td' : tag);
        const cell = (one: Tokens.TableCell, tag: string): string =>
          `<${tag}>${this.parser.parseInline(one.tokens)}</${tag}>`;
        const cells = (row: Tokens.TableCell[], tag: string): string => {
          const id = rowIds.get(row);
          const inside = row.map((one) => cell(one, tagOf(one, tag))).join('');
          return `<tr${id === undefined ? '' : ` id="${id}"`}>${inside}</tr>`;
        };
        const rows = token.rows.map((row) => cells(row, 'td')).join('\n');
        return wideTable(
          'Table',
          new Html(`<table><thead>${cells(token.header, 'th')}</thead><tbody>${rows}</tbody></table>`),
        ).text;
      },
    },
  });
}

/** The target of a link on the site; undefined for a file without a page. */
function targetOf(href: string, guideNames: ReadonlySet<string>): string | undefined {
  if (href.startsWith(`${LOCAL_SITE}/`)) return href.slice(LOCAL_SITE.length);
  if (/^https?:\/\//.test(href) || href.startsWith('#')) return href;
  if (href === 'openapi.json') return '/docs/reference';
  const [, name, fragment = ''] = /^(?:\.\/)?([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? [];
  return name !== undefined && guideNames.has(name) ? `/docs/${name}${fragment}` : undefined;
}
