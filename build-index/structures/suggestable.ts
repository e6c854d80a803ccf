/** Decides which places may be suggested: all except recipients, which nobody means by a place's name. */
import { sameNameKey } from '../../src/format/fold-text.js';
import { hasCedex } from '../cleaning/recipients.js';

export type Suggestable = (place: number) => boolean;

interface SuggestedPlaces {
  readonly names: readonly string[];
  readonly postalCodes: readonly (string | null)[];
  isRecipient(place: number): boolean;
}

/** A recipient may be suggested if it has a place's name that only recipients have: Paris La Défense. */
export function findSuggestable({ names, postalCodes, isRecipient }: SuggestedPlaces): Suggestable {
  const isOfPlace = (place: number): boolean => hasCedex(postalCodes[place] as string);
  const wanted = new Set<string>();
  names.forEach((name, place) => {
    if (isRecipient(place) && isOfPlace(place)) wanted.add(sameNameKey(name));
  });
  if (wanted.size > 0) {
    names.forEach((name, place) => {
      if (!isRecipient(place)) wanted.delete(sameNameKey(name));
    });
  }
  return (place) => !isRecipient(place) || (isOfPlace(place) && wanted.has(sameNameKey(names[place] as string)));
}
