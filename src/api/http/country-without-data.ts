/** The header of suggestions for the name of a country without data, or of a big city whose largest namesake is in one. */

import { findAbsentCountry } from '../../core/lookup/absent-countries.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Route } from '../description/define-route.js';
import { type AnswerForm, JSON_FORM } from './render-response.js';

export const COUNTRY_WITHOUT_DATA = 'x-country-without-data';

/** Makes the form of a list of suggestions from all countries: the header names the country that the list lacks. */
export function createCountryWithoutDataForm({ parameters }: Route) {
  const [text, country] = ['q', 'country'].map((name) => parameters.find((one) => one.name === name));
  return (form = JSON_FORM, snapshot: Snapshot, query: string): AnswerForm => ({
    ...form,
    render(data, correlationId, headers) {
      const target = { path: {}, query };
      if (country?.read(target) === undefined) {
        const absent = findAbsentCountry(snapshot, String(text?.read(target)), false);
        if (absent !== undefined) {
          headers.push(COUNTRY_WITHOUT_DATA, absent.country.entry.code);
          // Scripts of other origins may read it: no other answer has or needs either header.
          headers.push('access-control-expose-headers', COUNTRY_WITHOUT_DATA);
        }
      }
      return form.render(data, correlationId, headers);
    },
  });
}
