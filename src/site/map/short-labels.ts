/** Names as a map shows them: cut where they are long, and without a first word that most of them share. */

import type { DrawnDot } from './linked-dots.js';

/** Number of names with the same first word from which on the map leaves the word out. */
const LEAST_SHARING = 4;
/** Prepositions between a shared first word and a name: "Región de Tarapacá", "Arrondissement de Saint-Denis". */
const PREPOSITION = /^(?:de las?|de los|del|des|de|du|da|do|of) (?=\p{Lu})|^d(?:e l)?['’](?=\p{Lu})/u;
/** Maximum number of characters of a name on the map; the whole name appears when a reader points at the dot. */
const MAX_NAME_LENGTH = 24;

/** Names without the first word where most names begin with it, as in "Regierungsbezirk Schwaben". */
export function shortenLabels(dots: readonly DrawnDot[]): readonly DrawnDot[] {
  const prefix = sharedPrefix(dots);
  return dots.map(({ dot, x, y, label }) => {
    const rest =
      prefix !== '' && label.startsWith(prefix) ? label.slice(prefix.length).replace(PREPOSITION, '') : label;
    return { x, y, label: shorten(rest), dot };
  });
}

/** With its space; nothing where no first word is shared by most. */
function sharedPrefix(dots: readonly DrawnDot[]): string {
  // If most names share a first word, one of the first few names has it.
  for (const { label } of dots.slice(0, LEAST_SHARING)) {
    const prefix = label.slice(0, label.indexOf(' ') + 1);
    if (prefix === '') continue;
    let count = 0;
    for (const other of dots) if (other.label.startsWith(prefix)) count++;
    if (count >= LEAST_SHARING && count > dots.length / 2) return prefix;
  }
  return '';
}

export function shorten(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${[...name].slice(0, MAX_NAME_LENGTH - 1).join('')}…`;
}
