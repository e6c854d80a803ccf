/**
 * A guide: a document in Markdown as a page, rendered when it is first asked for. A call in several languages, which is
 * one code block after another, is shown in one of them at a time, and JSON after a call is its response. Guides for
 * callers have the addresses of this API and site, and a first call with the answer of the served snapshot.
 */

import type { Marked, Token, Tokens } from 'marked';
import { codeBlock, highlight } from '../html/code-block.js';
import { escapeHtml, Html, html } from '../html/html.js';
import { headingAnchor } from './anchors.js';
import { type CallExample, codeTabs } from './calls-in-languages.js';
import { type FirstCall, printedPlace } from './first-call.js';
import { wholeJson } from './json-for-readers.js';
import { createMarkdownRenderer, LOCAL_SITE } from './markdown.js';
import { listPassages, type Passage, type RowIds } from './passages.js';
import { plainText } from './plain-text.js';

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
   * The guide without title and introduction. In a guide for callers, calls go to `apiUrl` and `siteUrl`, and the first
   * call that the documents describe, `described`, is replaced by the one that the snapshot answers, `served`.
   */
  body(
    addresses: { readonly apiUrl: string; readonly siteUrl: string },
    described?: FirstCall,
    served?: FirstCall,
  ): Html;
}

/** The address of the API in the documents: the one that `npm start` starts. */
const LOCAL_API = 'http://127.0.0.1:3000';

/** `guideNames` are the names of all guides; `isForCallers` tells whether the guide is for people who call the API. */
export function readGuide(name: string, text: string, guideNames: ReadonlySet<string>, isForCallers: boolean): Guide {
  const rowIds: RowIds = new Map();
  const marked = createMarkdownRenderer(guideNames, rowIds);
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
      .map((heading) => ({ id: headingAnchor(heading.text), title: plainText(heading.text) })),
    body({ apiUrl, siteUrl }, described, served) {
      body ??= render();
      if (!isForCallers) return body;
      const ofFirstCall = described === undefined || served === undefined ? [] : listServed(answers, described, served);
      // Answers first: they are found by the document's own addresses.
      const replaced = [...ofFirstCall, [LOCAL_API, escapeHtml(apiUrl)], [LOCAL_SITE, escapeHtml(siteUrl)]] as const;
      return new Html(replaced.reduce((text, [from, to]) => text.replaceAll(from, () => to), body.text));
    },
  };
}

/** The markup of the described call in a document, each part with that of the served call that replaces it. */
function listServed(answers: readonly string[], described: FirstCall, served: FirstCall): [string, string][] {
  const bodies = answers.flatMap((text): [string, string][] => {
    const answer = parseAnswer(text);
    const isOfCall = answer?.data?.places?.[0]?.path === described.data.places[0]?.path;
    const markupOf = (json: string): string => highlight(json, 'json').text;
    return isOfCall ? [[markupOf(text), markupOf(wholeJson({ ...answer, data: served.data }))]] : [];
  });
  const texts = [described, served].flatMap((call) => [printedPlace(call), call.target]).map(escapeHtml);
  const [place = '', target = '', servedPlace = '', servedTarget = ''] = texts;
  return [...bodies, [place, servedPlace], [target, servedTarget]];
}

/** Undefined for a shortened answer, which is no JSON. */
function parseAnswer(text: string): { readonly data?: Partial<FirstCall['data']> } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The languages of calls, by their names in Markdown. */
const LANGUAGES: ReadonlyMap<string | undefined, CallExample['language']> = new Map([
  ['sh', 'curl'],
  ['js', 'JavaScript'],
  ['python', 'Python'],
]);

/** A call, in one language or several, or other tokens. */
type Part =
  | { readonly calls: readonly CallExample[]; readonly response: string | undefined }
  | { readonly tokens: readonly Token[] };

/** Code blocks in different languages, one after another, are one call; JSON after a call is its response. */
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
    const next = tokens[at];
    const isAnswered = calls[0]?.code.startsWith('curl ') && next?.type === 'code' && next.lang === 'json';
    if (calls.length > 1 || isAnswered) parts.push({ calls, response: isAnswered ? next.text : undefined });
    if (isAnswered) at++;
    else if (calls.length <= 1) {
      at = from + 1;
      parts.push({ tokens: tokens.slice(from, at) });
    }
    from = at;
  }
  return parts;
}

function renderPart(marked: Marked, part: Part, id: string): string {
  if ('tokens' in part) return marked.parser([...part.tokens]);
  const { calls, response } = part;
  return html`${codeTabs(id, calls)}${
    response !== undefined && html`<p class="caption">Response</p>\n${codeBlock(response, 'json', true)}`
  }`.text;
}
