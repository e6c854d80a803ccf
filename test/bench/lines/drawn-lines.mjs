/**
 * Lines of addresses drawn from the data: a code and what people write as its town, in a form of the country. The town is
 * a city around the code, often the large one nearby, or the place or municipality of the code itself.
 */

import { foldText } from '../../../dist/src/core/snapshot/fold-text.js';
import { kmBetween } from '../suggest/cities.mjs';
import { FORMS_BY_COUNTRY, fillForm, localName, unitCode, wholeCode, withoutAccents } from './customs.mjs';
import { drawCases, radiusOf } from './source.mjs';

/** Codes of streets rather than towns: the town is always the city. */
const STREETS = new Set(['SG']);
/** A name of a place that people write as a town: no numbering, additions in brackets or two spellings. */
const PLAIN_NAME = /^\p{L}[\p{L}\p{M}'’. -]{1,30}$/u;
const CEDEX = / CEDEX.*/;
const SAINT = /\b(Saint|Sainte|Sankt)([ -])/;
const SHORT_SAINTS = { Saint: ['St', 'St.'], Sainte: ['Ste', 'Ste.'], Sankt: ['St.', 'St'] };
/** Number of people of a city whose name people around it write, too. */
const LARGE_CITY = 100_000;

/** `perCountry` lines of each country that has forms and data. */
export function drawLines(source, purpose, perCountry, countries = [...FORMS_BY_COUNTRY.keys()]) {
  return countries
    .filter((country) => source.isCovered(country))
    .flatMap((country) => drawCases(`${purpose} ${country}`, perCountry, (draw) => drawLine(source, country, draw)));
}

/**
 * `{ country, line, town, isOwnName, code, position }`: whether the town is the place of the code or a unit around it by
 * the name in the data, the code as written, the position of the town. Undefined if the draw fits no line.
 */
export function drawLine(source, country, draw, forms = FORMS_BY_COUNTRY.get(country)) {
  const found = drawTown(source, country, draw);
  if (found === undefined) return undefined;
  const { place, town, position } = found;
  const [first, second] = place.ancestors;
  const data = place.postalCode.replace(CEDEX, '');
  const code = wholeCode(country, data, draw);
  const parts = {
    code,
    data,
    bare: data.replace(/\D/g, ''),
    solid: code.replace(/[ -]/g, ''),
    town,
    TOWN: withoutAccents(town).toUpperCase(),
    region: first?.name,
    st: unitCode(source, country, first),
    prov: unitCode(source, country, second),
  };
  const line = fillForm(draw.chance(0.4) ? forms[0] : draw.one(forms), parts);
  const names = [place, ...place.ancestors].flatMap(({ name, localName }) => [name, localName]);
  const isOwnName = names.some((name) => foldText(name) === foldText(town));
  return line && { country, line, town, isOwnName, code: codeInLine(line, parts), position };
}

/** The code of the line in the writing that the form took. */
function codeInLine(line, { code, data, bare, solid }) {
  return [code, solid, data, bare].find((text) => line.includes(text));
}

function drawTown(source, country, draw) {
  if (STREETS.has(country) || draw.chance(0.55)) return drawCityTown(source, country, draw);
  const place = source.drawPlace(country, draw);
  if (place.postalCode === null || place.type === 'recipient') return undefined;
  const unit = place.ancestors.findLast(({ type }) => type === 'municipality');
  const city = draw.chance(0.25) ? largeCityAround(source, country, place) : undefined;
  const named = city ?? (unit !== undefined && draw.chance(0.25) ? unit : place);
  const name =
    /^\p{Script=Latin}/u.test(place.localName) || draw.chance(0.6) ? named.name : (named.localName ?? named.name);
  if (!PLAIN_NAME.test(name)) return undefined;
  return { place, town: spell(name, draw), position: named };
}

function drawCityTown(source, country, draw) {
  const city = source.drawCity(country, draw);
  const place = city && source.placeInCity(city, draw);
  if (place === undefined || place.postalCode === null) return undefined;
  const name = draw.chance(0.7) ? (localName(city) ?? city.name) : city.name;
  return { place, town: spell(name, draw), position: city };
}

function largeCityAround(source, country, place) {
  return source
    .citiesOf(country)
    .filter(({ population }) => population >= LARGE_CITY)
    .find((city) => kmBetween(city, place) <= radiusOf(city));
}

/** The name with the spellings of people in a hurry: short saints, no accents, capitals. */
function spell(name, draw) {
  const saint = name.replace(SAINT, (whole, long, separator) =>
    draw.chance(0.6) ? draw.one(SHORT_SAINTS[long]) + draw.one([separator, ' ']) : whole,
  );
  if (draw.chance(0.12)) return withoutAccents(saint).replaceAll('-', ' ').toUpperCase();
  if (draw.chance(0.15)) return withoutAccents(saint).toLowerCase();
  return saint;
}
