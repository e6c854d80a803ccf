/**
 * The plain fields between the tags of an element, which people without scripts fill in. The element takes over their
 * names and values, and disables them, so that they are not sent. It knows a field by its `autocomplete`.
 */

import { AUTOFILL, FIELD_NAMES } from './address-fields.js';
import type { FieldName } from './address-format.js';

export type SentName = FieldName | 'country';

export interface Fallback {
  readonly name: string;
  readonly value: string;
  /** Whether the user is writing in it. */
  readonly hasFocus: boolean;
}

const NAMES: Readonly<Record<string, SentName>> = {
  ...Object.fromEntries(FIELD_NAMES.map((name) => [AUTOFILL[name], name])),
  'address-line1': 'street',
  country: 'country',
  'country-name': 'country',
};

/** The fields that were taken over: an element that is moved in the page must not take them over again. */
const known = new WeakSet<Element>();

/** Takes over the new fields and disables them; names and values of these, by field. */
export function adoptFallback(element: HTMLElement): Partial<Record<SentName, Fallback>> {
  const adopted: Partial<Record<SentName, Fallback>> = {};
  for (const field of element.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select, textarea')) {
    const token = field.getAttribute('autocomplete')?.trim().split(/\s+/).pop() ?? '';
    const name = NAMES[token];
    if (name === undefined || known.has(field)) continue;
    known.add(field);
    adopted[name] ??= { name: field.name, value: field.value, hasFocus: field.matches(':focus') };
    field.disabled = true;
  }
  return adopted;
}
