/** The output of `inspect`: the contents of a snapshot, read with the server's code, as text for people or as JSON. */

import { CommandFailure, EXIT } from '../../src/base/exit-code.js';
import { positionOf } from '../../src/core/snapshot/place-facts.js';
import { findById, parsePlaceId } from '../../src/core/snapshot/place-id.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { nameFile } from '../../src/core/snapshot/snapshot-error.js';
import { findCountry, structuresOf } from '../../src/core/use-cases/countries.js';
import { DomainError } from '../../src/core/use-cases/domain-error.js';
import { getPlace, resolvePath } from '../../src/core/use-cases/places.js';
import { findPostcode } from '../../src/core/use-cases/postcodes.js';
import { type ResponseData, readResponseData } from '../../src/core/use-cases/response-data.js';
import { formatBytes, formatCount, renderTable } from '../reporting/printing.js';

interface InspectOptions {
  /** An id, or country and path: "DE/bavaria". */
  readonly place?: string | undefined;
  /** Country and code: "DE/80331". */
  readonly postcode?: string | undefined;
  /** The summary as one JSON object. */
  readonly json?: true | undefined;
}

/** Throws SnapshotError if the file is not a snapshot, CommandFailure if it lacks the place or code. */
export function inspectSnapshot(path: string, options: InspectOptions): string {
  try {
    const snapshot = openSnapshot(path);
    if (options.place !== undefined)
      return prettyJson(withPosition(snapshot, parsed(inspectPlace(snapshot, options.place))));
    if (options.postcode !== undefined) return prettyJson(parsed(inspectPostcode(snapshot, options.postcode)));
    return options.json ? `${JSON.stringify(summaryOf(path, snapshot))}\n` : summarize(path, snapshot);
  } catch (error) {
    if (error instanceof DomainError) throw new CommandFailure(error.message, EXIT.failed);
    throw nameFile(path, error);
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
function withPosition(snapshot: Snapshot, place: unknown) {
  const { id, countryCode } = place as InspectedPlace;
  const { tree, ids, positions } = structuresOf(findCountry(snapshot, countryCode));
  const number = findById(ids, tree, parsePlaceId(id) as Uint8Array) as number;
  return { ...(place as object), position: positionOf(positions, number) };
}

function parsed(answer: ResponseData): unknown {
  return JSON.parse(readResponseData(answer));
}

function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function summarize(path: string, snapshot: Snapshot): string {
  const { manifest } = snapshot;
  const withData = snapshot.countries.filter(({ structures }) => structures !== undefined);
  const facts = [
    `file      ${path}, ${formatBytes(snapshot.byteLength)}`,
    `release   ${manifest.release}${manifest.sourceDate === null ? '' : `, of ${manifest.sourceDate}`}`,
    `previous  ${manifest.previousRelease ?? 'none'}`,
    `builder   ${manifest.builderVersion ?? 'unknown'}`,
    `id        ${snapshot.id}`,
    `site      ${manifest.siteUrl}`,
    `countries ${formatCount(manifest.countries.length)}, of these ${formatCount(withData.length)} with postcode data`,
  ];
  for (const { name, license } of manifest.sources) facts.push(`source    ${name}, ${license.name}`);
  const countries = withData.map(({ entry, structures }) => [
    entry.code,
    entry.name,
    ...entry.levelCounts.map(formatCount),
    formatCount(entry.distinctPostcodes),
    formatCount(structures?.oldPaths.places.length ?? 0),
  ]);
  return `${[
    facts.join('\n'),
    renderTable(['country', 'name', 'level 1', 'level 2', 'level 3', 'level 4', 'codes', 'old paths'], countries),
    renderTable(
      ['section', 'offset', 'size'],
      manifest.sections.map(({ name, offset, length }) => [name, formatCount(offset), formatBytes(length)]),
    ),
  ].join('\n\n')}\n`;
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
