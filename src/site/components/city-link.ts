/** A link to the page of a city, for the facts of its codes and parts. */

import { readCityName } from '../../core/snapshot/city-name.js';
import { readListFields } from '../../core/snapshot/place-fields.js';
import { type Html, html } from '../html/html.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { countryPath } from '../reading/page-paths.js';

export function cityLink(country: CoveredCountry, city: number): Html {
  const { structures } = country;
  const { path } = readListFields(structures, city);
  return html`<a href="${countryPath(country) + path}" dir="auto">${readCityName(structures, city)}</a>`;
}
