/** What the form makes of a code: the city that its places belong to, and when that is sure. */

import { describe, expect, test } from '@jest/globals';
import type { FoundCode, Place, Unit } from '../../clients/web/src/api-answers.js';
import { citiesOf, cityNameOf, decidedCity } from '../../clients/web/src/found-cities.js';

const unit = (id: string, name: string, localName = name): Unit => ({ id, name, localName, type: 'region', level: 1 });
const SEOUL = unit('seoul', 'Seoul', '서울특별시');

function place(
  countryCode: string,
  name: string,
  city: Place['city'],
  ancestors: readonly Unit[] = [],
  population: number | null = null,
): Place {
  const rest = { postalCode: '1', latitude: 0, longitude: 0, path: '/', url: '/', population };
  return { ...unit(name, name), type: 'locality', ...rest, countryCode, ancestors, city };
}

function found(match: FoundCode['match'], ...places: Place[]): { names: string[]; decided: string | undefined } {
  return foundBy({ match, postcode: '1', places });
}

function foundBy(code: FoundCode): { names: string[]; decided: string | undefined } {
  const cities = citiesOf(code, false);
  return { names: cities.map(({ name }) => name), decided: decidedCity(code, cities)?.name };
}

const LONDON = { id: 'london', name: 'London' };
const TORONTO = { id: 'toronto', name: 'Toronto' };
const own = (name: string): Place['city'] => ({ id: name, name });

describe('the city of a code', () => {
  test('is the one that all its places belong to, once', () => {
    const places = ['Shoreditch', 'Wapping', 'Shadwell'].map((name) => place('GB', name, LONDON));
    expect(found('exact', ...places)).toEqual({ names: ['London'], decided: 'London' });
    const code = { match: 'partial', postcode: '1', places, city: LONDON } as const;
    expect(foundBy(code)).toEqual({ names: ['London'], decided: 'London' });
  });

  test('is open where its places belong to several', () => {
    const places = [place('GB', 'Shoreditch', LONDON), place('GB', 'Hurst', own('Hurst'))];
    expect(found('exact', ...places)).toEqual({ names: ['London', 'Hurst'], decided: undefined });
  });

  test('is the town of several places, for the first part of a code of GB, and no hamlet', () => {
    const of = (city: string, population: number | null): FoundCode => {
      const town = place('GB', city, own(city), [], population);
      const places = [place('GB', 'Kennington', own('Kennington')), town, place('GB', 'Hinksey', own(city))];
      return { match: 'partial', postcode: '1', places, city: { id: city, name: city } };
    };
    expect(foundBy(of('Oxford', 162_100))).toEqual({ names: ['Kennington', 'Oxford'], decided: 'Oxford' });
    expect(foundBy({ ...of('Oxford', 162_100), city: undefined }).decided).toBeUndefined();
    const hurst = place('GB', 'Hurst', own('Hurst'));
    const code = { match: 'partial', postcode: '1', places: [hurst], city: own('Hurst') } as const;
    expect(foundBy(code).decided).toBeUndefined();
    expect(found('exact', hurst).decided).toBe('Hurst');
  });

  test('is open for the first part of a code of NL with two towns', () => {
    const places = [
      place('NL', 'Bussum', own('Bussum'), [], 31_334),
      place('NL', 'Hilversum', own('Hilversum'), [], 83_640),
    ];
    expect(foundBy({ match: 'partial', postcode: '1', places, city: own('Hilversum') }).decided).toBeUndefined();
    expect(found('partial', ...places.slice(1)).decided).toBe('Hilversum');
  });

  test('is no area of CA, but the city around it or the town that it is', () => {
    expect(found('partial', place('CA', 'Alliston', own('Alliston'), [], 18_809)).decided).toBe('Alliston');
    expect(found('partial', place('CA', 'Downtown Toronto (King and Spadina)', TORONTO)).decided).toBe('Toronto');
    expect(found('partial', place('CA', 'Eastern Alberta (St. Paul)', own('Eastern Alberta (St. Paul)')))).toEqual({
      names: [],
      decided: undefined,
    });
  });

  test('is the place itself where the API tells no city', () => {
    expect(found('exact', place('DE', 'Berlin', undefined))).toEqual({ names: ['Berlin'], decided: 'Berlin' });
  });

  test('has its own name where its place is called otherwise', () => {
    const frankfurt = place('DE', 'Frankfurt am Main, Stadt', {
      id: 'Frankfurt am Main, Stadt',
      name: 'Frankfurt am Main',
    });
    expect(found('exact', frankfurt).decided).toBe('Frankfurt am Main');
  });

  test('is what the unit around it and the place are called where the data has another country’s name', () => {
    const [warszawa, warsaw] = [unit('unit', 'Warszawa'), unit('warsaw', 'Warsaw')];
    const city = { id: 'warsaw', name: 'Warsaw' };
    expect(cityNameOf(place('PL', 'Warszawa', city, [warszawa, warsaw]), false)).toBe('Warszawa');
    // The unit of the same name lies in the city.
    const gangnam = place('KR', 'Gangnam-gu', { id: 'seoul', name: 'Seoul' }, [SEOUL, unit('gu', 'Gangnam-gu')]);
    expect(cityNameOf(gangnam, false)).toBe('Seoul');
  });

  test('has the local name of the unit that is the city, in a form in another script', () => {
    const gangnam = place('KR', 'Gangnam-gu', { id: 'seoul', name: 'Seoul' }, [SEOUL]);
    expect([cityNameOf(gangnam, false), cityNameOf(gangnam, true)]).toEqual(['Seoul', '서울특별시']);
    expect(citiesOf({ places: [gangnam] }, false)[0]?.detail).toBe('');
  });
});
