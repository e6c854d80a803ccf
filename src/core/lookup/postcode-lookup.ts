/**
 * Lenient lookup of a postal code: finds the code of a country's data that a typed code means (national-postcodes.ts). Each
 * rule is tried for the typed code, then for the code without the country (D-10115, FR 75001). A rule whose candidates
 * lead to different places (by name and unit) finds nothing, since the code is ambiguous. Codes are compared without
 * spaces and hyphens (postcode-index.ts).
 */

import { type FullCode, findFullCode, hasFullCodes, MAX_SECOND_LENGTH } from '../snapshot/full-codes.js';
import { isPlace } from '../snapshot/place-tree.js';
import { findPostcode, findPostcodesStarting, type PostcodeMatch } from '../snapshot/postcode-index.js';
import { compactPostcode, normalizePostcode, plainPostcode } from '../snapshot/postcode-spelling.js';
import type { WithdrawnPostcode } from '../snapshot/release-changes.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { WORK, type WorkBudget } from '../snapshot/work-budget.js';
import { findWorldPostcodeCountries } from '../snapshot/world-postcodes.js';
import { DomainError, type ParameterFault } from './domain-error.js';
import { type InferredTown, inferTown } from './inferred-postcode.js';
import {
  ALL_RULES,
  hasStrictNationalRule,
  rulesOf,
  STRICT_RULES,
  TERRITORIES,
  withoutNationalSign,
} from './national-postcodes.js';
import { countryOfForm } from './postcode-forms.js';
import { isSameNameInUnit } from './siblings-of-name.js';
import { listWithdrawn } from './withdrawn-postcodes.js';

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

interface FoundPostcode {
  readonly country: Country;
  readonly found: ResolvedPostcode;
}

/**
 * Finds a code in normal form in every country, as typed or else by the strict rules: at most one code of each country.
 * About 20 µs; 60 µs for digits that could be the code of CEDEX offices in France.
 */
function lookUpEverywhere(snapshot: Snapshot, postcode: string): FoundPostcode[] {
  const [plain, compact] = [plainPostcode(postcode), compactPostcode(postcode)];
  const possible = new Set<Country | undefined>(listPostcodeLookupCountries(snapshot, snapshot.countries, plain));
  if (plain !== postcode) {
    const having = findWorldPostcodeCountries(snapshot.worldPostcodes, compact);
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
 * The countries among `countries` in which the strict rules may find a plain code: countries that have it as typed, the
 * few with other strict rules or with full codes, which the world's index lacks, and countries whose code or sign is
 * before the code.
 */
export function listPostcodeLookupCountries(
  { worldPostcodes }: Pick<Snapshot, 'worldPostcodes'>,
  countries: readonly Country[],
  plain: string,
): Country[] {
  const compact = compactPostcode(plain);
  const having = findWorldPostcodeCountries(worldPostcodes, compact);
  const mayHaveSign = !/^\d/.test(compact);
  return countries.filter(
    (country) =>
      having.includes(country.number) ||
      hasFullCodes(country.entry) ||
      hasStrictNationalRule(country.entry.code, compact) ||
      (mayHaveSign && withoutNationalSign(country.entry.code, compact).length > 0),
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
  for (const code of [plain, ...withoutNationalSign((owners[0] as Country).entry.code, compact)]) {
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

/** Maximum number of candidates that are looked up at once: about as many as the steps of a search. */
const MAX_PROBED = 16;

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
  // Many candidates are longer than the typed code: one search spares their lookups, which mostly find nothing.
  if (codes.length > MAX_PROBED && !hasCodesStarting(structures, compact)) return undefined;
  const matches: PostcodeMatch[] = [];
  for (const code of codes) {
    const match = findPostcode(structures.postcodes, code, code === typed ? compact : undefined);
    if (match !== undefined) matches.push(match);
  }
  const [first] = matches;
  if (first === undefined || (matches.length > 1 && !areOfOnePlace(structures, matches))) return undefined;
  return { match: first, structures };
}

function hasCodesStarting({ postcodes }: CountryStructures, compact: string): boolean {
  const { start, end } = findPostcodesStarting(postcodes, compact);
  return start < end;
}

function areOfOnePlace(structures: CountryStructures, matches: readonly PostcodeMatch[]): boolean {
  const [first = 0, ...others] = matches.flatMap((match) =>
    [...match.places].filter((place) => isPlace(structures.tree, place)),
  );
  return others.every((place) => isSameNameInUnit(structures, place, first));
}

/**
 * How a code was found. `exact`: as asked. `normalised`: in another spelling. `partial`: the data have only the first
 * part of the code, or only part of the code was asked for. `inferred`: the data lack the code, and the block of codes
 * around it belongs to one town (inferred-postcode.ts). `withdrawn`: an earlier release has the code. `none`: not found.
 */
export const POSTCODE_MATCHES = ['exact', 'normalised', 'partial', 'inferred', 'withdrawn', 'none'] as const;

export type PostcodeMatchKind = (typeof POSTCODE_MATCHES)[number];

/** What a country knows of a code, by its match. */
export type PostcodeResolution =
  | { readonly match: 'exact' | 'normalised' | 'partial'; readonly found: ResolvedPostcode }
  | { readonly match: 'inferred'; readonly inferred: InferredTown }
  | { readonly match: 'withdrawn'; readonly withdrawn: WithdrawnPostcode }
  | { readonly match: 'none' };

/** Resolves a code that was asked for as `asked`: found in the data, or else withdrawn, or else inferred. */
export function resolvePostcode(snapshot: Snapshot, country: Country, asked: string): PostcodeResolution {
  const postcode = normalizePostcode(asked);
  const found = lookUpPostcode(snapshot, country, postcode);
  if (found !== undefined) return { match: matchKindOf(found, asked), found };
  return resolveMissing(snapshot, country, postcode);
}

/** The same of a code in normal form that the country's data lack. */
export function resolveMissing(
  snapshot: Snapshot,
  country: Country,
  postcode: string,
): Exclude<PostcodeResolution, { readonly found: ResolvedPostcode }> {
  const [withdrawn] = listWithdrawn(snapshot, [country], postcode);
  if (withdrawn !== undefined) return { match: 'withdrawn', withdrawn };
  const inferred = inferTown(snapshot, country, postcode);
  return inferred === undefined ? { match: 'none' } : { match: 'inferred', inferred };
}

/** The town of such a code, if it is in the block of one and no earlier release has it. */
export function inferMissing(snapshot: Snapshot, country: Country, postcode: string): InferredTown | undefined {
  const resolution = resolveMissing(snapshot, country, postcode);
  return resolution.match === 'inferred' ? resolution.inferred : undefined;
}

function matchKindOf(found: ResolvedPostcode, asked: string): 'exact' | 'normalised' | 'partial' {
  if (found.isPartial) return 'partial';
  return found.match.postcode === asked ? 'exact' : 'normalised';
}

export function postcodeNotFound(country: string, postcode: string, details?: readonly ParameterFault[]): DomainError {
  const message = `No place in ${country} uses the postcode ${JSON.stringify(postcode)}.`;
  return new DomainError('POSTCODE_NOT_FOUND', message, details);
}

/**
 * A code in normal form in every country that has it, or in some countries with data: the likeliest country first, that is,
 * the one that spells the code as typed, then one that differs in spaces and hyphens, then one in which a rule finds it;
 * of these the one with more inhabitants. A code whose form only one country has is looked up there alone.
 */
export function listFoundPostcodes(
  snapshot: Snapshot,
  postcode: string,
  countries?: readonly Country[],
): FoundPostcode[] {
  const asked = countriesOfLookup(snapshot, postcode, countries);
  if (asked === undefined) return sortByLikelihood(lookUpEverywhere(snapshot, postcode), postcode);
  const found = asked.flatMap((country) => {
    const one = lookUpPostcode(snapshot, country, postcode);
    return one === undefined ? [] : { country, found: one };
  });
  return sortByLikelihood(found, postcode);
}

/**
 * The countries in which a code in normal form is looked up: those given, or else the one that alone has codes of this form;
 * undefined for all.
 */
export function countriesOfLookup(
  snapshot: Snapshot,
  postcode: string,
  given?: readonly Country[],
): readonly Country[] | undefined {
  if (given !== undefined) return given;
  const country = countryOfForm(snapshot, postcode);
  return country && [country];
}

function sortByLikelihood(list: readonly FoundPostcode[], postcode: string): FoundPostcode[] {
  const compact = [postcode, plainPostcode(postcode)].map(compactPostcode);
  /** 0 if spelled as typed, 1 if equal without spaces and hyphens, 2 if found by a rule. */
  const distanceOf = ({ country, found: { match, structures } }: FoundPostcode): number => {
    if (structures !== country.structures) return 2;
    if (match.postcode === postcode) return 0;
    return compact.includes(compactPostcode(match.postcode)) ? 1 : 2;
  };
  return list
    .map((one) => ({ ...one, distance: distanceOf(one) }))
    .sort(
      (a, b) =>
        a.distance - b.distance ||
        b.country.entry.population - a.country.entry.population ||
        a.country.number - b.country.number,
    );
}
