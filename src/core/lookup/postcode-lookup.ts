/**
 * Lenient lookup of a postal code: finds the code of a country's data that a typed code means (national-postcodes.ts). Each
 * rule is tried for the typed code, then for the code without the country (D-10115, FR 75001). A rule whose candidates
 * lead to different places (by name and unit) finds nothing, since the code is ambiguous. Codes are compared without
 * spaces and hyphens (postcode-index.ts).
 */

import { findWithdrawn } from '../answers/changes.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import { type FullCode, findFullCode, hasFullCodes, MAX_SECOND_LENGTH } from '../snapshot/full-codes.js';
import { isPlace } from '../snapshot/place-tree.js';
import { firstPartFormat, fitsFormat } from '../snapshot/postcode-format.js';
import { codeText, findPostcode, type PostcodeIndex, type PostcodeMatch } from '../snapshot/postcode-index.js';
import { compactPostcode, normalizePostcode, plainPostcode } from '../snapshot/postcode-spelling.js';
import type { WithdrawnPostcode } from '../snapshot/release-changes.js';
import { postalCodeFormat } from '../snapshot/rendered-countries.js';
import { placeNameJson } from '../snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { WORK, type WorkBudget } from '../snapshot/work-budget.js';
import { findCountriesWithCode } from '../snapshot/world-postcodes.js';
import { findCountry, structuresOf } from './countries.js';
import {
  ALL_RULES,
  hasStrictRule,
  isFullCode,
  NO_CODES,
  rulesOf,
  SHORT_CODE_COUNTRIES,
  STRICT_RULES,
  signsOf,
  TERRITORIES,
} from './national-postcodes.js';

const STARTS_WITH_DIGIT = /^\d/;

/** A code of the data, and the structures of its country. */
export interface ResolvedPostcode {
  readonly match: PostcodeMatch;
  readonly structures: CountryStructures;
  /** The full code, if the code is one: `match` then has its place alone. */
  readonly fullCode?: FullCode;
  /** Whether the data have only a part of the typed code, or the typed code is only a part of this code. */
  readonly isPartial: boolean;
}

/** Finds a code in normal form in a country with data: as typed, or else by the rules, which include its territories. */
export function lookUpPostcode(snapshot: Snapshot, country: Country, postcode: string): ResolvedPostcode | undefined {
  const { structures } = country;
  const found = findAsTyped(structures, postcode, compactPostcode(postcode));
  if (found !== undefined) return found;
  const territories = (TERRITORIES[country.entry.code] ?? []).flatMap((code) => snapshot.countryByCode.get(code) ?? []);
  return resolveIn([country, ...territories], plainPostcode(postcode), ALL_RULES.length);
}

/** Finds a code of the places of a country, or else a full code, without any rule. */
function findAsTyped(
  structures: CountryStructures | undefined,
  postcode: string,
  compact: string,
): ResolvedPostcode | undefined {
  if (structures === undefined) return undefined;
  const match = findPostcode(structures.postcodes, postcode, compact);
  return match === undefined ? findFull(structures, compact) : { match, structures, isPartial: false };
}

function findFull(structures: CountryStructures | undefined, compact: string): ResolvedPostcode | undefined {
  const fullCode = structures?.fullCodes && findFullCode(structures.fullCodes, compact);
  if (structures === undefined || fullCode === undefined) return undefined;
  const match = { postcode: fullCode.postcode, number: fullCode.first, places: Uint32Array.of(fullCode.place) };
  return { match, structures, fullCode, isPartial: false };
}

/**
 * Finds a code in normal form in every country, as typed or else by the strict rules: at most one code of each country.
 * About 20 µs; 60 µs for digits that could be the code of CEDEX offices in France.
 */
export function lookUpEverywhere(
  snapshot: Snapshot,
  postcode: string,
): { readonly country: Country; readonly found: ResolvedPostcode }[] {
  const [plain, compact] = [plainPostcode(postcode), compactPostcode(postcode)];
  const possible = new Set<Country | undefined>(listPossibleCountries(snapshot, snapshot.countries, plain));
  if (plain !== postcode) {
    const having = findCountriesWithCode(snapshot.worldPostcodes, compact);
    for (const number of having) possible.add(snapshot.countries[number]);
  }
  return [...possible].flatMap((country) => {
    const structures = country?.structures;
    if (country === undefined || structures === undefined) return [];
    const found = findAsTyped(structures, postcode, compact) ?? resolvePostcodeIn(country, plain, true);
    return found === undefined ? [] : { country, found };
  });
}

/**
 * Those of `countries` in which the strict rules may find a plain code: the countries that have it as typed, the few
 * that have other strict rules or full codes, which no index of the world has, and those whose code or sign is before the
 * code.
 */
export function listPossibleCountries(
  { worldPostcodes }: Pick<Snapshot, 'worldPostcodes'>,
  countries: readonly Country[],
  plain: string,
): Country[] {
  const compact = compactPostcode(plain);
  const having = findCountriesWithCode(worldPostcodes, compact);
  return countries.filter(
    (country) =>
      having.includes(country.number) ||
      hasFullCodes(country.entry) ||
      hasStrictRule(country.entry.code, compact) ||
      withoutCountry(country, compact).length > 0,
  );
}

/**
 * Resolves a plain code (plainPostcode) in the country alone, within the budget `work` if there is one. If the country is
 * one of many, only the strict rules apply, which cost little.
 */
export function resolvePostcodeIn(
  country: Country,
  plain: string,
  isOneOfMany: boolean,
  work?: WorkBudget,
): ResolvedPostcode | undefined {
  return resolveIn([country], plain, isOneOfMany ? STRICT_RULES.length : ALL_RULES.length, work);
}

/** Applies the first `ruleCount` rules. Without `work` the number of lookups is not limited: about 1,200 at most. */
function resolveIn(
  owners: readonly Country[],
  plain: string,
  ruleCount: number,
  work?: WorkBudget,
): ResolvedPostcode | undefined {
  const rules = owners.map(({ entry }) => rulesOf(entry.code));
  const compact = compactPostcode(plain);
  for (const code of [plain, ...withoutCountry(owners[0] as Country, compact)]) {
    const compactCode = code === plain ? compact : compactPostcode(code);
    for (const { structures } of owners) {
      if (structures?.fullCodes === undefined) continue;
      if (work?.spend(MAX_SECOND_LENGTH * WORK.probe) === false) return undefined;
      const full = findFull(structures, compactCode);
      if (full !== undefined) return full;
    }
    for (let rule = 0; rule < ruleCount; rule++) {
      for (let owner = 0; owner < owners.length; owner++) {
        const applied = rules[owner]?.[rule];
        if (applied?.format.test(compactCode) !== true) continue;
        const codes = applied.find(compactCode, code);
        if (codes.length === 0) continue;
        if (work?.spend(codes.length * WORK.probe) === false) return undefined;
        const found = findOne(owners[owner] as Country, codes, code, compactCode);
        if (found !== undefined) return { ...found, isPartial: ALL_RULES[rule]?.isPartial === true };
      }
    }
  }
  return undefined;
}

/**
 * The first of the candidates `codes` in the country's data, if all of these belong to one place. `compact` is the
 * compact form of the code `typed`.
 */
function findOne(
  country: Country,
  codes: readonly string[],
  typed: string,
  compact: string,
): Omit<ResolvedPostcode, 'isPartial'> | undefined {
  const { structures } = country;
  if (structures === undefined) return undefined;
  const matches: PostcodeMatch[] = [];
  for (const code of codes) {
    const match = findPostcode(structures.postcodes, code, code === typed ? compact : undefined);
    if (match !== undefined) matches.push(match);
  }
  const [first] = matches;
  if (first === undefined || (matches.length > 1 && !areOfOnePlace(structures, matches))) return undefined;
  return { match: first, structures };
}

function areOfOnePlace({ tree, renderedPlaces }: CountryStructures, matches: readonly PostcodeMatch[]): boolean {
  const places = matches.flatMap((match) => [...match.places]).filter((place) => isPlace(tree, place));
  const [first = 0] = places;
  const name = placeNameJson(renderedPlaces, first);
  return places.every(
    (place) => tree.parents[place] === tree.parents[first] && placeNameJson(renderedPlaces, place) === name,
  );
}

/** The code without the country's code or sign before it, if the rest contains a digit. */
function withoutCountry({ entry }: Country, code: string): readonly string[] {
  if (STARTS_WITH_DIGIT.test(code)) return NO_CODES;
  return signsOf(entry.code)
    .filter((sign) => code.startsWith(sign))
    .map((sign) => code.slice(sign.length))
    .filter((rest) => /\d/.test(rest));
}

/** Finds a code in normal form, which the snapshot lacks in these countries, in the lists of changes that lead to it. */
export function listWithdrawn(
  snapshot: Snapshot,
  countries: readonly Country[],
  postcode: string,
): WithdrawnPostcode[] {
  // Most snapshots come with one or two lists. Asking for these looks at their files, so once for all countries.
  const lists = snapshot.changes.lists();
  if (lists.length === 0) return [];
  const compact = compactPostcode(plainPostcode(postcode));
  // Of a territory and its country both may be among the countries.
  const found = new Map<string, WithdrawnPostcode>();
  for (const country of countries) {
    for (const owner of [country.entry.code, ...(TERRITORIES[country.entry.code] ?? [])]) {
      for (const code of [compact, ...withoutCountry(country, compact)]) {
        const withdrawn = found.has(owner) ? undefined : findWithdrawn(lists, owner, code);
        if (withdrawn !== undefined) found.set(owner, withdrawn);
      }
    }
  }
  return [...found.values()];
}

/*
 * Checks a postal code for a form: whether the country's data have it, as what, and whether it has a form that the
 * country's codes have. It finds what endpoint 7 finds; a code that is not found is an answer here and no error. Of a code
 * that is not found as a whole, it tells whether an earlier release has it.
 */

/**
 * How a code was found. `exact`: as asked. `normalised`: in another spelling. `partial`: the data have only the first
 * part of the code, or only part of the code was asked for. `none`: not found.
 */
export const POSTCODE_MATCHES = ['exact', 'normalised', 'partial', 'none'] as const;

export type PostcodeMatchKind = (typeof POSTCODE_MATCHES)[number];

/** Number of codes among which an example that fits the format is looked for. Most countries' first fits. */
const EXAMPLE_CANDIDATES = 16;

interface CheckPostcodeRequest {
  readonly country: string;
  /** As the client sent it. */
  readonly postcode: string;
}

/** Throws DomainError COUNTRY_NOT_FOUND or NO_POSTCODE_DATA. */
export function checkPostcode(
  snapshot: Snapshot,
  { country: code, postcode: asked }: CheckPostcodeRequest,
): ByteString {
  const country = findCountry(snapshot, code);
  const { postcodes } = structuresOf(country);
  const normalized = normalizePostcode(asked);
  const found = lookUpPostcode(snapshot, country, normalized);
  const postcode = found?.match.postcode ?? null;
  const match = matchKindOf(found, asked);
  const format = postalCodeFormat(snapshot.renderedCountries, country.number);
  const compact = compactPostcode(plainPostcode(normalized));
  const isCode = postcode !== null && compactPostcode(postcode) === compact;
  const hasKnownFormat = isCode || isFullCode(code, compact) || (format !== null && fitsCompact(format, code, compact));
  const example = chooseExample(postcodes, format);
  const isWhole = found?.isPartial === false;
  // JSON leaves out what is undefined.
  const [withdrawn] = isWhole ? [] : listWithdrawn(snapshot, [country], normalized);
  const answer = { countryCode: code, asked, postcode, match, hasKnownFormat, format, example, withdrawn };
  return encodeUtf8(JSON.stringify(answer));
}

/** How a code was found that was asked for as `asked`. */
export function matchKindOf(found: ResolvedPostcode | undefined, asked: string): PostcodeMatchKind {
  if (found === undefined) return 'none';
  if (found.isPartial) return 'partial';
  return found.match.postcode === asked ? 'exact' : 'normalised';
}

/** Whether a compact code fits a country's format without regard to spaces and hyphens. */
function fitsCompact(format: string, country: string, compact: string): boolean {
  if (fitsFormat(compactPostcode(format), compact)) return true;
  return SHORT_CODE_COUNTRIES.has(country) && fitsFormat(compactPostcode(firstPartFormat(format)), compact);
}

/** A code that fits the format, from the middle of the list on; the code in the middle if none of the candidates does. */
function chooseExample(index: PostcodeIndex, format: string | null): string {
  const { codeCount } = index;
  const first = codeText(index, codeCount >> 1);
  if (format === null) return first;
  const step = Math.max(1, Math.floor(codeCount / EXAMPLE_CANDIDATES));
  for (let candidate = 0; candidate < EXAMPLE_CANDIDATES; candidate++) {
    const code = codeText(index, ((codeCount >> 1) + candidate * step) % codeCount);
    if (fitsFormat(format, code)) return code;
  }
  return first;
}
