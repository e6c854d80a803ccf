/**
 * Checks the paths of the previous snapshot: each leads to a place of its own, and none is the path of a place now. Which
 * place had a path nothing else in the file tells.
 */
import { findByOldPath } from '../../src/store/old-paths.js';
import { isPlace } from '../../src/store/place-tree.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import type { PlaceFields } from './check-answers.js';
import { fail } from './fail.js';

export function checkOldPaths({ oldPaths, tree }: CountryStructures, { paths }: PlaceFields, code: string): void {
  const where = `old-paths of ${code}`;
  const { digests, places } = oldPaths;
  if (places.length === 0) return;
  const isTaken = new Uint8Array(tree.placeCount);
  places.forEach((place, at) => {
    if (!isPlace(tree, place)) fail(where, 'a place', place);
    if (isTaken[place] !== 0) fail(where, `one path of place ${place}`, 'several');
    isTaken[place] = 1;
    if (at === 0) return;
    const [high, low, previousHigh, previousLow] = [0, 1, -2, -1].map((step) => digests[at * 2 + step] as number) as [
      ...[number, number, number, number],
    ];
    const ascends = high > previousHigh || (high === previousHigh && low > previousLow);
    if (!ascends) fail(where, `digest ${at} after the one before`, `${high} ${low}`);
  });
  paths.forEach((path, place) => {
    const found = findByOldPath({ oldPaths, tree }, path.slice(1).split('/'));
    if (found !== undefined) fail(where, `no path that place ${place} has`, `${path} of place ${found}`);
  });
}
