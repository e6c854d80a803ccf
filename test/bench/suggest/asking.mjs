/**
 * The service in this process, as bench:suggest and bench:lines ask it: suggestions with their positions, the nearest
 * place to a point, the code of the data that a typed code leads to. Answers to a repeated query are kept.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findGazetteer, readGazetteer } from '../../../dist/build-index/gazetteer/read-gazetteer.js';
import { normalizePostcode } from '../../../dist/src/core/snapshot/postcode.js';
import { openSnapshot } from '../../../dist/src/core/snapshot/snapshot.js';
import { autocomplete } from '../../../dist/src/core/suggest/autocomplete.js';
import { resolvePath } from '../../../dist/src/core/use-cases/places.js';
import { findPostcode } from '../../../dist/src/core/use-cases/postcodes.js';
import { readResponseData } from '../../../dist/src/core/use-cases/response-data.js';
import { reverse } from '../../../dist/src/core/use-cases/reverse.js';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Opens the snapshot and reads the gazetteer that a program was given; ends the process if one of them is missing. */
export async function openInputs(program, [snapshotFile, gazetteerFile], gazetteerName) {
  const files = [
    snapshotFile ?? join(ROOT, 'data/starter.snapshot'),
    gazetteerFile ?? join(ROOT, '../shared/geonames/gazetteer', gazetteerName),
  ].map((file) => resolve(file));
  for (const file of files) {
    if (existsSync(file)) continue;
    process.stderr.write(`${program}: no ${file}; name both: npm run ${program} -- <snapshot> <${gazetteerName}>\n`);
    process.exit(2);
  }
  const snapshot = openSnapshot(files[0]);
  return { snapshot, gazetteer: await readGazetteer(await findGazetteer(...files)) };
}

/** Functions that ask a snapshot. An error of the contract is undefined or an empty list, as documented for each. */
export function createAsker(snapshot) {
  const placesByPath = new Map();
  const listsByQuery = new Map();

  /** The place at a path with its ancestors. Suggestions name paths of the same snapshot, so there is one. */
  const placeAt = (country, path) => {
    const key = `${country}${path}`;
    const known =
      placesByPath.get(key) ?? answerOf(() => resolvePath(snapshot, { country, segments: path.slice(1).split('/') }));
    placesByPath.set(key, known);
    return known;
  };
  return {
    placeAt,
    /** The places suggested for a query, best first, with their ancestors; empty if the query is refused. */
    suggest(query, country, limit) {
      const key = `${limit} ${country} ${query}`;
      let list = listsByQuery.get(key);
      if (list === undefined) {
        const suggestions =
          answerOf(() => autocomplete(snapshot, { query, country, limit }), 'VALIDATION_FAILED') ?? [];
        list = suggestions.map(({ countryCode, path }) => placeAt(countryCode, path));
        listsByQuery.set(key, list);
      }
      return list;
    },
    /** `{ place, distanceKm }`; undefined if no place is within the reach of the service. */
    nearest: ({ latitude, longitude }, country) =>
      answerOf(() => reverse(snapshot, { lat: latitude, lng: longitude, country }), 'NO_NEARBY_PLACE'),
    /** The code of a country's data that a typed code leads to; undefined if there is none. */
    codeInData: (country, typed) =>
      answerOf(() => findPostcode(snapshot, { country, postcode: normalizePostcode(typed) }), 'POSTCODE_NOT_FOUND')
        ?.postcode,
  };
}

/** The parsed answer; undefined for the error of the contract with the code `expected`. */
function answerOf(call, expected) {
  try {
    return JSON.parse(readResponseData(call()));
  } catch (error) {
    if (expected === undefined || error.code !== expected) throw error;
    return undefined;
  }
}
