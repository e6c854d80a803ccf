/**
 * The districts of cities that are part of the postal code: "Wien 3" is 1030, "Dublin 2" is D02. Only cities whose
 * districts have no names with a number in the data. Source: Universal Postal Union, Postal addressing systems.
 */

/** Maximum number of digits of the number of a district or a post office: "Paris 8", "Kazan 105". */
export const MAX_DISTRICT_DIGITS = 3;

interface City {
  readonly country: string;
  readonly names: readonly string[];
  readonly codeOf: (twoDigits: string) => string;
}

const CITIES: readonly City[] = [
  { country: 'AT', names: ['wien', 'vienna', 'vienne', 'viena'], codeOf: (district) => `1${district}0` },
  { country: 'LK', names: ['colombo'], codeOf: (district) => `0${district}00` },
  { country: 'IE', names: ['dublin', 'baile atha cliath'], codeOf: (district) => `D${district}` },
];
const TOWN_AND_NUMBER = /^(.*\D) 0?(\d{1,2})$/;

/** The country and the code of the district that a folded line names; undefined if it names none. */
export function districtCode(line: string): { readonly country: string; readonly code: string } | undefined {
  const [, town = '', number = ''] = TOWN_AND_NUMBER.exec(line) ?? [];
  const city = CITIES.find(({ names }) => names.includes(town));
  return city === undefined ? undefined : { country: city.country, code: city.codeOf(number.padStart(2, '0')) };
}
