/** The place that an address means where the data have the whole world, and the contradictions that are told. */

import { expect, test } from '@jest/globals';
import { readPathField } from '../../src/core/snapshot/place-fields.js';
import { matchAddress } from '../../src/core/suggest/address-match.js';
import { openWithCities } from './world.js';

const snapshot = openWithCities();

/** Of an address, how it was found and where, or why not and in which country. */
function find(address: string): string {
  const { match, found, conflict } = matchAddress(snapshot, address, undefined);
  if (found !== undefined) return `${match} ${readPathField(found.structures, found.place)}`;
  return conflict === undefined ? match : `${conflict.reason} ${conflict.country.entry.code}`;
}

test.each([
  ['10 rue de Rivoli, 75004 Paris', 'exact /ile-de-france/paris/paris/paris-75004'],
  ['75004 Rivoli', 'postcode_elsewhere IT'],
  ['10117 Paris', 'postcode_elsewhere FR'],
  ['1000 Paris', 'postcode_elsewhere FR'],
  ['Rio de Janeiro 01310-100', 'postcode_elsewhere BR'],
  ['Av. Paulista 1000, São Paulo 01310-100', 'inferred /sao-paulo/sao-paulo'],
  ['0801 Panamá', 'partial /panama/panama'],
  ['H-1540 Budapest', 'partial /budapest'],
  ['20000 Casablanca', 'partial /casablanca-settat/casablanca'],
  ['1009 Luxembourg', 'partial /luxembourg'],
  ['1500 Main Street, Springfield, MA', 'partial /massachusetts/hampden/springfield'],
  ['10 Downing Street', 'none'],
])('%j: %s', (address, expected) => expect(find(address)).toBe(expected));
