/**
 * Corrects the places of a release before the tree is built: merges duplicate units, marks rows that are not
 * localities, corrects names, and replaces or marks impossible coordinates. Places keep the ids of the release; the
 * tally records every change.
 */

import { RECIPIENT_TYPE } from '../../src/core/snapshot/place-type.js';
import type { CleanedPlaces, CollectedPlaces } from '../tree/collected-places.js';
import { identifyPlaces } from '../tree/place-identities.js';
import { type CleaningTally, createCleaningTally, describeLeaf, noteCleaning } from './cleaning-tally.js';
import { correctNames } from './correct-names.js';
import { mergeUnits } from './merge-units.js';
import { findRecipients } from './recipients.js';
import { correctPositions } from './wrong-positions.js';

/** Takes ownership of `collected`: changes its arrays or returns them as part of the result. */
export function cleanPlaces(
  collected: CollectedPlaces,
  countryCode: string,
): { readonly places: CleanedPlaces; readonly tally: CleaningTally } {
  const tally = createCleaningTally();
  const ids = identifyPlaces(collected, countryCode);
  for (const [leaf, rule] of findRecipients(collected, countryCode)) {
    collected.types[leaf] = RECIPIENT_TYPE;
    noteCleaning(tally, `recipient: ${rule}`, countryCode, () => describeLeaf(collected, countryCode, leaf));
  }
  const merged = mergeUnits({ ...collected, ids, mergedNames: new Map() }, countryCode, tally);
  const mergedNames = new Map(merged.mergedNames);
  for (const [unit, released] of correctNames(merged, countryCode, tally)) {
    mergedNames.set(unit, [...(mergedNames.get(unit) ?? []), released]);
  }
  const { latitudes, longitudes } = merged;
  const corrected = correctPositions(merged);
  for (const { leaf, change, km } of corrected.changes) {
    noteCleaning(
      tally,
      change,
      countryCode,
      () => `${describeLeaf(merged, countryCode, leaf)}, ${Math.round(km)} km off`,
    );
  }
  return {
    places: {
      ...merged,
      mergedNames,
      latitudes: corrected.latitudes,
      longitudes: corrected.longitudes,
      sources: corrected.sources,
      releasedLatitudes: latitudes,
      releasedLongitudes: longitudes,
    },
    tally,
  };
}
