/** The ids of headings, schemas, responses and parameters on pages of documents, which links lead to. */

import { slugOf } from '../../core/snapshot/slug.js';
import type { Operation, Parameter } from './api-reference.js';
import { plainText } from './plain-text.js';

/** The id that GitHub gives a heading, so links to headings work there and here. */
export function headingAnchor(text: string): string {
  return plainText(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** The id of the description of a schema. */
export function schemaAnchor(name: string): string {
  return `schema-${slugOf(name)}`;
}

/** The id of a response that calls share. */
export function answerAnchor(name: string): string {
  return `answer-${slugOf(name)}`;
}

/** The id of a parameter of a call. */
export function parameterAnchor({ id }: Pick<Operation, 'id'>, { name }: Pick<Parameter, 'name'>): string {
  return `${slugOf(id)}-${slugOf(name)}`;
}
