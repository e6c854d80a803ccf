/** What `inspect` shows: the contents of a snapshot, a place, or the places of a postal code, read with the server's code. */

import { CommandFailure, EXIT } from '../../src/base/exit-code.js';
import { getPlace, resolvePath } from '../../src/core/answers/places.js';
import { findPostcode } from '../../src/core/answers/postcodes.js';
import { type ResponseData, readResponseData } from '../../src/core/answers/response-data.js';
import { findCountry, structuresOf } from '../../src/core/lookup/countries.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { parsePlaceId } from '../../src/core/snapshot/place-id.js';
import { findById } from '../../src/core/snapshot/place-id-index.js';
import { positionOf } from '../../src/core/snapshot/place-positions.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { nameSnapshotInError } from '../../src/core/snapshot/snapshot-error.js';

interface InspectOptions {
  /** An id, or country and path: "DE/bavaria". */
  readonly place?: string | undefined;
  /** Country and code: "DE/80331". */
  readonly postcode?: string | undefined;
}

/** The object to show. */
export function inspectSnapshot(path: string, { place, postcode }: InspectOptions): object {
  try {
    const snapshot = openSnapshot(path);
    if (place !== undefined) return withPosition(snapshot, parsed(inspectPlace(snapshot, place)) as InspectedPlace);
    if (postcode !== undefined) return parsed(inspectPostcode(snapshot, postcode));
    return summaryOf(path, snapshot);
  } catch (error) {
    if (error instanceof DomainError) throw new CommandFailure(error.message, EXIT.failed);
    throw nameSnapshotInError(path, error);
  }
}

function inspectPlace(snapshot: Snapshot, place: string): ResponseData {
  const id = parsePlaceId(place);
  if (id === undefined) {
    const { country, rest } = splitCountry(place);
    return resolvePath(snapshot, { country, segments: rest.split('/').filter((segment) => segment !== '') });
  }
  for (const { entry, structures } of snapshot.countries) {
    if (structures === undefined || findById(structures.ids, structures.tree, id) === undefined) continue;
    return getPlace(snapshot, { country: entry.code, id: place });
  }
  throw new CommandFailure(`no place has the id ${place}`, EXIT.failed);
}

function inspectPostcode(snapshot: Snapshot, postcode: string): ResponseData {
  const { country, rest } = splitCountry(postcode);
  return findPostcode(snapshot, { country, postcode: normalizePostcode(rest) });
}

/** The command has checked that a country of two letters and a slash come first. */
function splitCountry(text: string): { country: string; rest: string } {
  return { country: text.slice(0, 2).toUpperCase(), rest: text.slice(3) };
}

interface InspectedPlace {
  readonly id: string;
  readonly countryCode: string;
}

/** A place's object with the source of its coordinates, which the API does not return. */
function withPosition(snapshot: Snapshot, place: InspectedPlace) {
  const { id, countryCode } = place;
  const { tree, ids, positions } = structuresOf(findCountry(snapshot, countryCode));
  const number = findById(ids, tree, parsePlaceId(id) as Uint8Array) as number;
  return { ...place, position: positionOf(positions, number) };
}

function parsed(answer: ResponseData): object {
  return JSON.parse(readResponseData(answer));
}

function summaryOf(path: string, { byteLength, id, manifest, countries }: Snapshot): object {
  const { release, sourceDate, previousRelease, builderVersion, siteUrl, sections, sources } = manifest;
  return {
    ...{ file: path, bytes: byteLength, release, sourceDate, previousRelease, builderVersion, id, siteUrl },
    countries: countries.flatMap(({ entry, structures }) =>
      structures === undefined
        ? []
        : [
            {
              code: entry.code,
              name: entry.name,
              levels: entry.levelCounts,
              codes: entry.distinctPostcodes,
              oldPaths: structures.oldPaths.places.length,
            },
          ],
    ),
    sections: sections.map(({ name, offset, length }) => ({ name, offset, bytes: length })),
    sources,
  };
}
