/** The country that contains a point, and which country's places reverse finds there, in the starter dataset. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { photonReverse } from '../../src/core/answers/photon.js';
import { service } from '../../src/core/answers/service.js';
import { findCountryAt } from '../../src/core/lookup/country-at-point.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { ANY_COUNTRY } from '../../src/core/lookup/reverse.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { parseAnswer } from './answer.js';

/** Latitude and longitude of a point beyond all outlines, 52 km from a village. */
const SOUTH_OF_THE_FAROES = [61, -7.2] as const;

let snapshot: Snapshot;
beforeAll(async () => {
  snapshot = openSnapshot(await sharedStarterSnapshot());
}, 120_000);

describe('the country that contains a point', () => {
  test.each<[string, number, number, string | undefined]>([
    ['Munich', 48.1374, 11.5755, 'DE'],
    ['Vienna', 48.2082, 16.3738, 'AT'],
    ['Toronto', 43.6532, -79.3832, 'CA'],
    ['Kraków', 50.0614, 19.9366, 'PL'],
    ['Lille', 50.633, 3.0586, 'FR'],
    ['Nice', 43.7031, 7.2661, 'FR'],
    ['Malmö', 55.6059, 13.0007, 'SE'],
    ['Buenos Aires', -34.6132, -58.3772, 'AR'],
    ['Tijuana', 32.5149, -117.0382, 'MX'],
    ['San Diego, across the border', 32.7157, -117.1611, 'US'],
    ['Tokyo', 35.6895, 139.6917, 'JP'],
    ['the Belgian part of Baarle', 51.4407, 4.9303, 'BE'],
    ['the Dutch part of Baarle', 51.4479, 4.9185, 'NL'],
    ['Büsingen, a German exclave', 47.6964, 8.689, 'DE'],
    ['Llívia, a Spanish exclave', 42.4637, 1.9817, 'ES'],
    ['Vatican City', 41.9024, 12.4533, 'VA'],
    ['Ceuta', 35.8894, -5.3198, 'ES'],
    ['Las Palmas', 28.1, -15.413, 'ES'],
    ['Sevastopol', 44.6054, 33.522, 'UA'],
    ['Kerch', 45.3607, 36.4706, 'UA'],
    ['Kyrenia', 35.3364, 33.3173, 'CY'],
    ['Akrotiri', 34.588, 32.97, 'CY'],
    ['Réunion', -20.8789, 55.4481, 'RE'],
    ['Mariehamn', 60.0971, 19.9348, 'AX'],
    ['San Juan', 18.4663, -66.1057, 'PR'],
    ['Longyearbyen', 78.2232, 15.6267, 'SJ'],
    ['Pristina', 42.6727, 21.1669, 'XK'],
    ['Hong Kong', 22.2783, 114.1747, 'HK'],
    ['Sark', 49.4333, -2.3667, 'GG'],
    ['mid Atlantic', 30, -45, undefined],
    ['north pole', 90, 0, undefined],
    ['south pole', -90, 180, 'AQ'],
    ['Chukotka west of the antimeridian', 66, 179.999, 'RU'],
    ['Chukotka on the antimeridian', 66, 180, 'RU'],
    ['the same', 66, -180, 'RU'],
    ['mid Pacific on the antimeridian', 30, 180, undefined],
    ['the same', 30, -180, undefined],
  ])('%s', (_, lat, lng, code) => expect(findCountryAt(snapshot, lat, lng)?.entry.code).toBe(code));
});

describe('the nearest place without a country', () => {
  /** Country and name of the nearest place, or the message of the error. */
  function nearest(lat: number, lng: number, country?: string): string {
    try {
      const { place } = parseAnswer(service.reverse(snapshot, { lat, lng, country }));
      return `${place.countryCode} ${place.name}`;
    } catch (error) {
      if (error instanceof DomainError) return error.message;
      throw error;
    }
  }

  test.each<[string, number, number, string]>([
    ['Munich', 48.14, 11.58, 'DE München'],
    ['Konstanz', 47.66, 9.18, 'DE Konstanz'],
    ['Basel', 47.5584, 7.5733, 'CH Basel'],
    ['Toronto', 43.6532, -79.3832, 'CA Downtown Toronto (Richmond / Adelaide / King)'],
    ['the Belgian part of Baarle', 51.4407, 4.9303, 'BE Baarle-Hertog'],
    ['the Dutch part of Baarle', 51.4479, 4.9185, 'NL Baarle-Nassau'],
    ['Tijuana, whose nearest place is San Ysidro', 32.5149, -117.0382, 'There is no postcode data for Mexico (MX).'],
    ['Strasbourg, whose nearest place is Kehl', 48.5839, 7.7455, 'There is no postcode data for France (FR).'],
    ['Tokyo', 35.6895, 139.6917, 'There is no postcode data for Japan (JP).'],
    ['Northern Cyprus', 35.3364, 33.3173, 'There is no postcode data for Cyprus (CY).'],
    ['Saint-Martin', 18.0731, -63.0822, 'There is no postcode data for Saint Martin (MF).'],
    ['Nunavut', 70, -95, 'There is no place within 80 km of 70, -95 in CA.'],
    ['mid Atlantic', 30, -45, 'There is no place within 80 km of 30, -45.'],
    ['north pole, the address of Santa Claus', 90, 0, 'CA Reserved (Santa Claus)'],
  ])('%s', (_, lat, lng, found) => expect(nearest(lat, lng)).toBe(found));

  test('any country is still looked in by name', () => {
    expect(nearest(32.5149, -117.0382, ANY_COUNTRY)).toBe('US San Ysidro');
    expect(nearest(48.5839, 7.7455, ANY_COUNTRY)).toBe('DE Kehl');
  });

  test('at sea: the country with the nearest centre', () => {
    expect(findCountryAt(snapshot, ...SOUTH_OF_THE_FAROES)).toBeUndefined();
    expect(nearest(...SOUTH_OF_THE_FAROES)).toBe('FO Sumba');
  });

  test("Photon's settlements are of the same country", () => {
    const filters = { radius: undefined, layers: [], tags: [], dedupe: true };
    const settlements = (lat: number, lon: number, limit: number): string[] => {
      const { features } = parseAnswer(photonReverse(snapshot, { ...filters, lat, lon, limit }));
      return features.map(({ properties }: { properties: { countrycode: string } }) => properties.countrycode);
    };
    expect(settlements(47.66, 9.18, 1)).toEqual(['DE']);
    expect(new Set(settlements(47.66, 9.18, 50))).toEqual(new Set(['DE']));
    for (const [lat, lon] of [
      [32.5149, -117.0382],
      [48.5839, 7.7455],
      [30, -45],
    ] as const)
      expect(settlements(lat, lon, 5)).toEqual([]);
    expect(settlements(...SOUTH_OF_THE_FAROES, 1)).toEqual(['FO']);
  });
});
