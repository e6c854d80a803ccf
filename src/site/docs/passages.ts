/**
 * Passages of the guides and of the reference, which the search finds. A passage has an address, the headings that it
 * stands under, its text, and a term if it defines one: a heading is its own term, as are the first cell of a row and
 * the bold text or the name that a paragraph begins with.
 */

import { lexer, type Token, type Tokens } from 'marked';
import { slugOf } from '../../core/snapshot/slug.js';
import { answerAnchor, headingAnchor, parameterAnchor, schemaAnchor } from './anchors.js';
import { type ApiReference, type NamedSchema, REFERENCE } from './api-reference.js';
import { plainText } from './plain-text.js';

export interface Passage {
  /** With the anchor of the row, or else of the heading. */
  readonly path: string;
  /** The title of the document and the headings, the outermost first. */
  readonly headings: readonly string[];
  /** Empty if it defines nothing. */
  readonly term: string;
  readonly text: string;
  /** Whether it is a parameter or field of the reference, of which other calls may have one of the same name. */
  readonly isField?: boolean;
}

/** The bold text at the start of a paragraph, or a name as code: "**Quota.**", "`lang` takes". */
const LEADING_TERM = /^(?:\*\*[^*]+\*\*|`\w+`)/;
/** Also the code at the start of an item of a list: "`list`, `show <key>` and `usage <key>`". */
const LEADING_NAMES = /^(?:(?:`[^`]+`|\*\*[^*]+\*\*)(?:, | and )?)+/;
/** A first cell that is one piece of code or one word. */
const NAMED_ROW = /^(?:`[^`()]{1,40}`|[\w-]+)$/;

/** The ids of rows of tables that define a name, such as that of a setting. */
export type RowIds = Map<readonly Tokens.TableCell[], string>;

/** Adds to `rowIds` the ids with which rows must be rendered; without `rowIds` no row has an id. */
export function listPassages(
  tokens: readonly Token[],
  start: Pick<Passage, 'path' | 'headings'>,
  rowIds?: RowIds,
): Passage[] {
  const passages: Passage[] = [];
  const [document] = start.path.split('#');
  const ids = new Set(tokens.map((token) => (token.type === 'heading' ? headingAnchor(token.text) : '')));
  let [path, headings] = [start.path, start.headings];
  const add = (markdown: string, term: string | undefined = '', id?: string): void => {
    const text = plainText(markdown);
    const last = passages.at(-1);
    const isBelowHeading = last?.text === '' && last.path === path && id === undefined;
    // A heading is found with the paragraph below it.
    if (isBelowHeading) passages.splice(-1, 1, { ...last, text });
    if (!isBelowHeading || term !== '')
      passages.push({ path: id === undefined ? path : `${document}#${id}`, headings, term: plainText(term), text });
  };
  for (const token of tokens as readonly (Tokens.Heading | Tokens.Paragraph | Tokens.List | Tokens.Table)[]) {
    if (token.type === 'heading') {
      const title = plainText(token.text);
      path = token.depth === 1 ? start.path : `${document}#${headingAnchor(token.text)}`;
      headings = [...headings.slice(0, start.headings.length + token.depth - 1), title];
      passages.push({ path, headings, term: title, text: '' });
    } else if (token.type === 'paragraph') add(token.text, LEADING_TERM.exec(token.text)?.[0]);
    else if (token.type === 'list') for (const { text } of token.items) add(text, LEADING_NAMES.exec(text)?.[0]);
    else if (token.type === 'table') {
      for (const row of token.rows) {
        const [first = '', ...others] = row.map(({ text }) => text);
        const id = NAMED_ROW.test(first) ? headingAnchor(first) : '';
        const isOwn = rowIds !== undefined && id !== '' && !ids.has(id);
        if (isOwn) rowIds.set(row, id);
        ids.add(id);
        add(others.filter((text) => text !== '').join(' · '), first, isOwn ? id : undefined);
      }
    }
  }
  return passages;
}

/** The calls with their parameters and responses, the rules, the responses that calls share, and the schemas. */
export function referencePassages({ description, operations, sharedAnswers, schemas }: ApiReference): Passage[] {
  const of = (id: string, ...headings: string[]): Pick<Passage, 'path' | 'headings'> => ({
    path: `${REFERENCE.path}#${id}`,
    headings: [REFERENCE.title, ...headings],
  });
  const blocks = (text: string, at: Pick<Passage, 'path' | 'headings'>): Passage[] =>
    text === '' ? [] : listPassages(lexer(text), at);
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
        isField: true,
      })),
      ...fieldPassages(at, body?.fields),
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
      return [{ ...at, term: name, text: plainText(description) }, ...fieldPassages(at, fields)];
    }),
  ];
}

function fieldPassages(at: Pick<Passage, 'path' | 'headings'>, fields: NamedSchema['fields'] = []): Passage[] {
  return fields.map(({ name, description }) => ({ ...at, term: name, text: plainText(description), isField: true }));
}
