/**
 * Markdown of the documents and of the API's description as markup. Markup in it is shown and not passed through, links
 * lead to guides, to the reference or to the web, and a link to any other file is left as its text.
 */

import { Marked, type Tokens } from 'marked';
import { codeBlock } from '../html/code-block.js';
import { escapeHtml, Html } from '../html/html.js';
import { wideTable } from '../html/wide-table.js';
import { headingAnchor } from './anchors.js';
import type { RowIds } from './passages.js';

/** The address of the site in the documents: the one that `npm start` starts. */
export const LOCAL_SITE = 'http://127.0.0.1:3001';

const OUTSIDE_OF_GUIDES = createMarkdownRenderer(new Set());

/** A Markdown text of the API's description as blocks. */
export function renderMarkdownBlocks(text: string): Html {
  return new Html(OUTSIDE_OF_GUIDES.parse(text, { async: false }));
}

/** A Markdown text of the API's description as a part of a line. */
export function renderInlineMarkdown(text: string): Html {
  return new Html(OUTSIDE_OF_GUIDES.parseInline(text, { async: false }));
}

export function createMarkdownRenderer(guideNames: ReadonlySet<string>, rowIds: RowIds = new Map()): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${headingAnchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = targetOf(href, guideNames);
        const inside = this.parser.parseInline(tokens);
        return target === undefined ? inside : `<a href="${escapeHtml(target)}">${inside}</a>`;
      },
      code: ({ text, lang = '' }) => `${codeBlock(text, lang).text}\n`,
      table(token) {
        // An empty cell is no head: screen readers would say nothing.
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
