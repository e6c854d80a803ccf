/** The addresses of the images of maps: others where their contents change, so browsers may keep them for good. */
import type { SiteSnapshot } from '../site-snapshot.js';
import type { LandCell } from './land-cell.js';
import { packagedOutlines } from './outlines.js';

/** Of a country's own map: another one for each snapshot. */
export function mapPath({ snapshot }: SiteSnapshot, code: string): string {
  return `/maps/${snapshot.id}/${code}.svg`;
}

/** Of the outline behind the map of a place: another one where the outlines have changed. */
export function landCellPath(code: string, { name }: LandCell): string {
  return `/maps/${packagedOutlines().digest}/${code}-${name}.svg`;
}
