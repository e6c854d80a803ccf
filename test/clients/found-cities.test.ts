/** What the form makes of a code: the city that its places belong to, and when that is sure. */

import { describe, expect, test } from '@jest/globals';
import type { FoundCode, Place, Unit } from '../../clients/web/src/api-answers.js';
import { citiesOf, cityNameOf, decidedCity } from '../../clients/web/src/found-cities.js';

const unit = (id: string, name: string, localName = name): Unit => ({ id, name, localName, type: 'region', level: 1 });
const SEOUL = unit('seoul', 'Seoul', '서울특별시');

function place(countryCode: string, name: string, city: Place['city'], ancestors: readonly Unit[] = []): Place {
  const rest = { postalCode: '1', latitude: 0, longitude: 0, path: '/', url: '/' };
  return { ...unit(name, name), type: 'locality', ...rest, countryCode, ancestors, city };
}

function found(match: FoundCode['match'], ...places: Place[]): { names: string[]; decided: string | undefined } {
  const code = { match, postcode: '1', places };
  const cities = citiesOf(code, true);
  return { names: cities.map(({ name }) => name), decided: decidedCity(code, cities)?.name };
}

const LONDON = { id: 'london', name: 'London' };
const TORONTO = { id: 'toronto', name: 'Toronto' };
const own = (name: string): Place['city'] => ({ id: name, name });

describe('the city of a code', () => {
  test('is the one that all its places belong to, once', () => {
    const places = ['Shoreditch', 'Wapping', 'Shadwell'].map((name) => place('GB', name, LONDON));
    expect(found('exact', ...places)).toEqual({ names: ['London'], decided: 'London' });
    expect(found('partial', ...places)).toEqual({ names: ['London'], decided: 'London' });
  });

  test('is open where its places belong to several', () => {
    const places = [place('GB', 'Shoreditch', LONDON), place('GB', 'Hurst', own('Hurst'))];
    expect(found('exact', ...places)).toEqual({ names: ['London', 'Hurst'], decided: undefined });
  });

  test('is not sure for the first part of a code of GB whose place is its own city', () => {
    expect(found('partial', place('GB', 'Hurst', own('Hurst'))).decided).toBeUndefined();
    expect(found('exact', place('GB', 'Hurst', own('Hurst'))).decided).toBe('Hurst');
  });

  test('is no area of CA, but the city around it', () => {
    expect(found('partial', place('CA', 'Downtown Toronto (King and Spadina)', TORONTO)).decided).toBe('Toronto');
    expect(found('partial', place('CA', 'Eastern Alberta (St. Paul)', own('Eastern Alberta (St. Paul)')))).toEqual({
      names: [],
      decided: undefined,
    });
  });

  test('is the place itself where the API tells no city', () => {
    expect(found('exact', place('DE', 'Berlin', undefined))).toEqual({ names: ['Berlin'], decided: 'Berlin' });
  });

  test('has the local name of the unit that is the city, in a form in another script', () => {
    const gangnam = place('KR', 'Gangnam-gu', { id: 'seoul', name: 'Seoul' }, [SEOUL]);
    expect([cityNameOf(gangnam, true), cityNameOf(gangnam, false)]).toEqual(['Seoul', '서울특별시']);
    expect(citiesOf({ match: 'exact', postcode: '1', places: [gangnam] }, true)[0]?.detail).toBe('');
  });
});
