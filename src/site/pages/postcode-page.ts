/**
 * The page of a postal code, with its city in the heading: its places, its kind, the codes nearest to it with their
 * distances, the same code in other countries, and a map. The position of a code is that of its reliable places. The page
 * of a first part lists its full codes; the page of a full code has its own position and its one place.
 */

import { MAX_POSTCODE_PLACES } from '../../core/answers/postcodes.js';
import { codeRanksOf, isLocalityAt, isRecipientAt } from '../../core/lookup/code-ranks.js';
import { cityOfPostcode } from '../../core/lookup/main-place.js';
import { SHORT_CODE_COUNTRIES } from '../../core/lookup/national-postcodes.js';
import { listPointsOfCode, meanOf } from '../../core/lookup/postcode-position.js';
import { readCityName } from '../../core/snapshot/city-name.js';
import { codesOfFirstPart, type FullCode, fullCodeAt } from '../../core/snapshot/full-codes.js';
import { cityOf } from '../../core/snapshot/place-cities.js';
import { readListFields } from '../../core/snapshot/place-fields.js';
import { isPlace, listAncestors } from '../../core/snapshot/place-tree.js';
import { firstPartFormat, fitsFormat } from '../../core/snapshot/postcode-format.js';
import { findPostcode, indexedPostcode } from '../../core/snapshot/postcode-index.js';
import { compactPostcode } from '../../core/snapshot/postcode-spelling.js';
import { renderedPostalCodeFormat } from '../../core/snapshot/rendered-countries.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import type { Circle, Position } from '../../core/snapshot/sphere.js';
import { findWorldPostcodeCountries } from '../../core/snapshot/world-postcodes.js';
import { apiCall } from '../components/api-call.js';
import { cityLink } from '../components/city-link.js';
import { codeLink } from '../components/code-links.js';
import { coordinates } from '../components/coordinates.js';
import { fullCodeList } from '../components/full-code-list.js';
import { nearCodes } from '../components/near-lists.js';
import { breadcrumbList, breadcrumbTrail, type Crumb } from '../html/breadcrumbs.js';
import { inSentence } from '../html/country-in-sentence.js';
import { fact } from '../html/facts.js';
import { formatCounted, formatKm, formatMetres } from '../html/formats.js';
import { type Content, type Html, html, joinHtml } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { section } from '../html/section.js';
import { windowAround } from '../map/map-window.js';
import type { CellKind } from '../map/mosaic.js';
import { CELLS_CAPTION, drawPageMap, LONELY_KM, MOSAIC_SIZE, NEAR_SHOWN } from '../map/page-map.js';
import { codeOfRank } from '../reading/code-summary.js';
import { type CodePoint, listCodePoints, listFullCodePoints } from '../reading/codes-in-view.js';
import { type CoveredCountry, isCovered } from '../reading/covered-country.js';
import type { FoundCode } from '../reading/found-code.js';
import { listNearCodes, listNearFullCodes, type NearEntry } from '../reading/near-cities-and-codes.js';
import { browsePath, countryPath, placePath, postcodePath } from '../reading/page-paths.js';
import { haveOnePage, standingPlace } from '../reading/standing-place.js';

/** Number of places that the description names. */
const NAMED_PLACES = 5;
/** Width of the narrowest map of a full code, in km: some streets. */
const STREETS_KM = 0.5;
/** Likewise of another code: its quarter of a city. */
const LEAST_KM = 12;

interface Subject {
  readonly context: PageContext;
  readonly country: CoveredCountry;
  readonly postcode: string;
  /** The number of the code in the postcode index; for a full code, that of its first part. */
  readonly first: number;
  readonly fullCode: FullCode | undefined;
  /** The city of the code's main place; undefined in a damaged file. */
  readonly city: number | undefined;
  /** The places that stand for the localities with the code (standing-place.ts), and for its recipients, by name. */
  readonly localities: readonly number[];
  readonly recipients: readonly number[];
  /** The number of all localities and recipients of the code; at most MAX_POSTCODE_PLACES are shown. */
  readonly totalCount: number;
  /** The rank of the code; undefined for a code that only recipients have. */
  readonly rank: number | undefined;
  /** Undefined in a damaged file. */
  readonly position: Position | undefined;
  /** The codes nearest to the position; for a full code, the nearest full codes. */
  readonly near: readonly NearEntry[];
}

export function postcodePage(context: PageContext, code: FoundCode): Page {
  const { country, missing } = code;
  const subject = readSubject(context, code);
  const { postcode } = subject;
  const { entry } = country;
  const path = postcodePath(country, postcode);
  const where = inSentence(entry.name);
  const heading = headingOf(subject);
  const countryCrumb = { name: entry.name, path: countryPath(country) };
  return {
    title: `${heading}, ${entry.name}`,
    description: `${heading}: a postal code of ${where}${listOfPlaces(subject)}.`,
    canonicalPath: path,
    path: postcodePath(country, missing ?? postcode),
    body: body(subject, missing),
    linkedData: [breadcrumbList(context.site, [countryCrumb, ...firstPartCrumbs(subject), { name: heading, path }])],
  };
}

function readSubject(context: PageContext, { country, match, fullCode }: FoundCode): Subject {
  const { structures } = country;
  const ranks = codeRanksOf(structures);
  const places = [...match.places].filter((place) => isPlace(structures.tree, place));
  const standing = fullCode === undefined ? listStanding(structures, places) : [...new Set(places)];
  const shown = standing.slice(0, MAX_POSTCODE_PLACES);
  const locality = places.find((place) => isLocalityAt(ranks, place));
  const rank = locality === undefined ? undefined : ranks.ranks[locality];
  const position = fullCode ?? meanOf(listPointsOfCode(structures, match.places));
  return {
    ...{ context, country, postcode: match.postcode, first: match.number, fullCode, totalCount: standing.length },
    city: cityOfPostcode(structures, match),
    localities: shown.filter((place) => !isRecipientAt(ranks, place)),
    recipients: shown.filter((place) => isRecipientAt(ranks, place)),
    rank,
    position,
    near:
      fullCode !== undefined
        ? listNearFullCodes(country, fullCode)
        : position === undefined
          ? []
          : listNearCodes(context.snapshot, country, position, rank === undefined ? [] : [rank]),
  };
}

/** The places that stand for these. In a damaged file a code can have all places: the rows of a page are read once. */
function listStanding(structures: CountryStructures, places: readonly number[]): number[] {
  const firsts = places.filter((place, at) => at === 0 || !haveOnePage(structures, places[at - 1] as number, place));
  return [...new Set(firsts.map((place) => standingPlace(structures, place)))];
}

/** The first part and the sector of a full code. */
function firstPartCrumbs({ country, postcode, first, fullCode }: Subject): Crumb[] {
  if (fullCode === undefined) return [];
  const firstPart = indexedPostcode(country.structures.postcodes, first);
  const sector = postcode.slice(0, firstPart.length + 2);
  return [
    { name: firstPart, path: postcodePath(country, firstPart) },
    { name: sector, path: browsePath(country, sector) },
  ];
}

/** "SW1A · London". */
function headingOf({ country, postcode, city }: Subject): string {
  return city === undefined ? postcode : `${postcode} · ${readCityName(country.structures, city)}`;
}

/** ", for Westminster Abbey": the names of the code's places that are not the city's. */
function listOfPlaces({ country, city, localities, recipients }: Subject): string {
  const nameOf = (place: number): string => readListFields(country.structures, place).name;
  const names = new Set([...localities, ...recipients].map(nameOf));
  if (city !== undefined) names.delete(nameOf(city));
  const named = [...names].slice(0, NAMED_PLACES).join(', ');
  return named === '' ? '' : `, for ${named}${names.size > NAMED_PLACES ? ' …' : ''}`;
}

/** Links to the units around the city, and to the country: each name once, the innermost first. */
function whereOf({ country, city }: Subject): Content {
  const { structures, entry } = country;
  const units =
    city === undefined ? [] : listAncestors(structures.tree, city).map((unit) => readListFields(structures, unit));
  const paths = new Map([[entry.name, ''], ...units.map(({ name, path }) => [name, path] as const)]);
  const links = [...paths].map(([name, path]) => html`<a href="${countryPath(country) + path}">${name}</a>`);
  return joinHtml(links.reverse(), ', ');
}

function body(subject: Subject, missing: string | undefined): Html {
  const { context, country, postcode, city, position } = subject;
  const { entry, structures } = country;
  const isTown = city !== undefined && !isRecipientAt(codeRanksOf(structures), city);
  return html`${breadcrumbTrail([
    { name: entry.name, path: countryPath(country) },
    { name: 'Postal codes', path: browsePath(country, '') },
    ...firstPartCrumbs(subject),
  ])}
<article class="place">
<header><h1 dir="auto">${headingOf(subject)}</h1>
<p class="answer" dir="auto">${whereOf(subject)}</p></header>
<div class="pictured">
${map(subject)}
<div>${missing !== undefined && html`<p>This release has no code <b class="whole">${missing}</b>. <b>${postcode}</b> is its first part.</p>`}
${kindNote(subject)}
<dl class="facts">
${fact('City', isTown && cityLink(country, city))}
${position !== undefined && fact('Position', coordinates(position, 'code', positionText(position, subject.fullCode === undefined ? 4 : 5)))}
${fact('Previous code', besideLink(subject, -1))}
${fact('Next code', besideLink(subject, 1))}
</dl>
${section('nearest', 'Nearest codes', nearCodes(subject.near, formatOf(subject)))}</div>
</div>
${placesSection(subject)}
${subject.fullCode === undefined && fullCodeList(country, [subject.first])}
${elsewhere(subject)}
${apiCall(context.site, [
  `/v1/countries/${entry.code}/postcodes/${encodeURIComponent(postcode)}`,
  `/v1/postcodes/${encodeURIComponent(postcode)}`,
  `/v1/nearby?country=${entry.code}&postcode=${encodeURIComponent(postcode)}&by=postcode`,
])}
</article>`;
}

/** Four decimals are 11 m, and a full code is right to some metres. */
function positionText({ latitude, longitude }: Position, decimals: number): string {
  return `${Number(latitude.toFixed(decimals))}, ${Number(longitude.toFixed(decimals))}`;
}

function formatOf({ fullCode }: Subject): (km: number) => string {
  return fullCode === undefined ? formatKm : formatMetres;
}

function map(subject: Subject): Content {
  const { context, country, postcode, first, city, fullCode, position, near } = subject;
  if (position === undefined) return undefined;
  const isOwn = ({ postcode: other, codes }: CodePoint): boolean =>
    other === postcode || (fullCode === undefined && codes.includes(first));
  const kindOf = (point: CodePoint): CellKind => {
    if (point.country !== country) return 'around';
    return isOwn(point) ? 'own' : cityOf(country.structures, point.place) === city ? 'in' : 'around';
  };
  const listPoints = (circle: Circle): readonly CodePoint[] =>
    fullCode === undefined ? listCodePoints(context.snapshot, circle) : listFullCodePoints(country, circle);
  const leastKm = near.length === 0 ? LONELY_KM : fullCode === undefined ? LEAST_KM : STREETS_KM;
  return drawPageMap(context.snapshot, {
    country,
    window: windowAround(position, near.slice(0, NEAR_SHOWN), { ...MOSAIC_SIZE, leastKm }),
    own: { name: postcode, ...position },
    dots: [],
    caption: CELLS_CAPTION,
    cells: { kindOf, listPoints },
  });
}

/** A link to the previous or next code: in natural order, full codes in the order of their bytes. */
function besideLink({ country, rank, fullCode }: Subject, step: number): Content {
  const { fullCodes } = country.structures;
  if (fullCode !== undefined && fullCodes !== undefined) {
    const number = fullCode.number + step;
    return number >= 0 && number < fullCodes.count && codeLink(country, fullCodeAt(fullCodes, number).postcode);
  }
  const beside = rank === undefined ? -1 : rank + step;
  const isThere = beside >= 0 && beside < codeRanksOf(country.structures).codes.length;
  return isThere && codeLink(country, codeOfRank(country, beside));
}

/** Says that only organisations have the code, or that it is the first part of full codes that the data lack. */
function kindNote({ context, country, postcode, first, fullCode, localities, recipients }: Subject): Content {
  const { entry } = country;
  if (localities.length === 0) {
    const owners =
      recipients.length === 1
        ? 'one organisation, set of post boxes or delivery office'
        : `${formatCounted(recipients.length, 'organisation')}, post boxes or delivery offices`;
    return html`<p>A code of ${owners}.</p>`;
  }
  const { fullCodes } = country.structures;
  const { start, end } = fullCodes === undefined ? { start: 0, end: 0 } : codesOfFirstPart(fullCodes, first);
  if (fullCode !== undefined || start < end || !SHORT_CODE_COUNTRIES.has(entry.code)) return undefined;
  const example = fullExample(context, country, postcode);
  const lacking = fullCodes === undefined ? inSentence(entry.name) : postcode;
  return (
    example !== undefined &&
    html`<p><b>${postcode}</b> is the first part of codes such as <span class="whole">${example}</span>. This release has no full codes of ${lacking}.</p>`
  );
}

/** A made-up full code that begins with the code: a format of the country, with 1 for digits and A for letters. */
function fullExample({ snapshot }: PageContext, country: CoveredCountry, postcode: string): string | undefined {
  const format = renderedPostalCodeFormat(snapshot.renderedCountries, country.number);
  const form = format?.split('|').find((one) => fitsFormat(firstPartFormat(one), postcode));
  if (form === undefined) return undefined;
  return postcode + form.slice(postcode.length).replaceAll('#', '1').replaceAll('@', 'A');
}

function placesSection({ country, fullCode, localities, recipients, totalCount }: Subject): Content {
  const shownCount = localities.length + recipients.length;
  const items = (places: readonly number[]): Html =>
    html`<ul class="places tall">${places.map((place) => item(country, place, fullCode !== undefined))}</ul>`;
  return [
    totalCount > shownCount &&
      html`<p class="note">The first ${shownCount} of ${formatCounted(totalCount, 'place')}, by name</p>`,
    localities.length > 0 && section('places', localities.length === 1 ? 'Place' : 'Places', items(localities)),
    recipients.length > 0 &&
      (localities.length === 0
        ? section('places', recipients.length === 1 ? 'Organisation' : 'Organisations', items(recipients))
        : html`<details><summary>${formatCounted(recipients.length, 'organisation')} with this code</summary>
${items(recipients)}</details>`),
  ];
}

/** `isLinked` makes links of the units around the place. */
function item(country: CoveredCountry, place: number, isLinked: boolean): Html {
  const { structures } = country;
  const around = listAncestors(structures.tree, place)
    .reverse()
    .map((ancestor) => {
      const { name, path } = readListFields(structures, ancestor);
      return isLinked ? html`<a href="${countryPath(country) + path}">${name}</a>` : name;
    });
  return html`<li><a href="${placePath(country, place)}" dir="auto">${readListFields(structures, place).name}</a> <span class="where" dir="auto">${joinHtml(around, ', ')}</span></li>`;
}

/** The same code in other countries, each with its city; the country with the most people first. */
function elsewhere({ context, country, postcode }: Subject): Content {
  const { worldPostcodes, countries } = context.snapshot;
  const others = Array.from(
    findWorldPostcodeCountries(worldPostcodes, compactPostcode(postcode)),
    (at) => countries[at],
  )
    .filter((other): other is CoveredCountry => other !== undefined && other !== country && isCovered(other))
    .sort((a, b) => b.entry.population - a.entry.population || a.number - b.number);
  const items = others.flatMap((other) => {
    const match = findPostcode(other.structures.postcodes, postcode);
    if (match === undefined) return [];
    const city = cityOfPostcode(other.structures, match);
    const name = city === undefined ? '' : readCityName(other.structures, city);
    return [
      html`<li>${codeLink(other, match.postcode)} <span class="where" dir="auto">${name}, ${other.entry.name}</span></li>`,
    ];
  });
  return section(
    'elsewhere',
    'The same code in other countries',
    items.length > 0 && html`<ul class="places">${items}</ul>`,
  );
}
