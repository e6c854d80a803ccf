/**
 * The place that an address of one or several lines leads to, as tables are enriched with it. An address that leads to no
 * place is an answer and no error.
 */

import { findCountry } from '../lookup/countries.js';
import { postcodeOfFound } from '../lookup/found-place.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import { cityOfPlace } from '../snapshot/place-cities.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { type AddressConflict, describeConflict } from '../suggest/address-conflict.js';
import { MAX_LINES_ABOVE, matchAddress } from '../suggest/address-match.js';
import { MAX_SEARCH_LENGTH } from '../suggest/search-text.js';
import { type Include, renderCity, renderPlaceDetail } from './place-detail.js';

/** Maximum number of characters of an address: the lines that are read and one with the country, each of full length. */
export const MAX_ADDRESS_LENGTH = (MAX_LINES_ABOVE + 2) * MAX_SEARCH_LENGTH;

interface MatchRequest {
  /** Its lines are separated by line breaks. */
  readonly address: string;
  /** The country of the address, with data or without; undefined where it is unknown. */
  readonly country: string | undefined;
  readonly include?: Include;
}

export function match(snapshot: Snapshot, { address, country: code, include }: MatchRequest): ByteString {
  const known = code === undefined ? undefined : findCountry(snapshot, code);
  const { match, found, conflict } = matchAddress(snapshot, address, known);
  const told = conflict === undefined ? null : tellConflict(conflict);
  const start = JSON.stringify({ address, match }).slice(0, -1);
  const end = `"conflict":${JSON.stringify(told)}}`;
  if (found === undefined) {
    return encodeUtf8(`${start},"countryCode":null,"postcode":null,"place":null,"city":null,${end}`);
  }
  const { structures, place, fullCode } = found;
  const country = snapshot.countries.find((one) => one.structures === structures) as Country;
  const fields = JSON.stringify({ countryCode: country.entry.code, postcode: postcodeOfFound(found) }).slice(1, -1);
  const detail = renderPlaceDetail(structures, place, include, fullCode);
  const city = renderCity(structures, cityOfPlace(structures, place));
  return `${encodeUtf8(`${start},${fields}`)},"place":${detail},"city":${city},${encodeUtf8(end)}`;
}

function tellConflict(conflict: AddressConflict) {
  const { reason, country } = conflict;
  return { reason, message: describeConflict(conflict), countryCode: country.entry.code };
}
