/** Decides which places may be suggested: all except recipients, which nobody means by a place's name. */

import { foldNameKeepingAccents } from '../../src/core/snapshot/fold-text.js';
import { RECIPIENT_TYPE } from '../../src/core/snapshot/place-type.js';
import { hasCedex } from '../cleaning/recipients.js';
import type { CountryTree } from '../tree/country-tree.js';

export type Suggestable = (place: number) => boolean;

/** A recipient may be suggested if it has a place's name that only recipients have: Paris La Défense. */
export function findSuggestable({ names, postalCodes, types }: CountryTree): Suggestable {
  const isRecipient = (place: number): boolean => types[place] === RECIPIENT_TYPE;
  const isOfPlace = (place: number): boolean => hasCedex(postalCodes[place] as string);
  const wanted = new Set<string>();
  names.forEach((name, place) => {
    if (isRecipient(place) && isOfPlace(place)) wanted.add(foldNameKeepingAccents(name));
  });
  if (wanted.size > 0) {
    names.forEach((name, place) => {
      if (!isRecipient(place)) wanted.delete(foldNameKeepingAccents(name));
    });
  }
  return (place) =>
    !isRecipient(place) || (isOfPlace(place) && wanted.has(foldNameKeepingAccents(names[place] as string)));
}
