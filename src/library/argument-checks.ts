/**
 * Checks the arguments of lookups and of `open` for faults that the API's own checks don't find. A URL holds texts alone,
 * while an argument may be any value.
 */

import type { Lookup } from '../api/description/bind-lookup.js';
import type { Route } from '../api/description/define-route.js';
import { createMisspeltFinder } from '../api/description/misspelt-parameters.js';
import { languageTags, searchText } from '../api/description/parameter-rules.js';
import { LANGUAGES } from '../api/description/shared-parameters.js';
import { oncePer } from '../base/once-per.js';
import type { ParameterFault } from '../core/lookup/domain-error.js';
import { packagedCountries } from '../releases/packaged/packaged-release.js';
import { MAX_NAMED_COUNTRIES } from '../releases/packaged/packaged-snapshot.js';
import { InvalidArgumentError } from './errors.js';

interface ArgumentCheck {
  /** Texts that are no text: true, NaN. A number may stand for a code. */
  listNoTexts(parameters: Lookup): readonly ParameterFault[];
  /** Options that look like a known one. */
  listMisspelt(parameters: Lookup): readonly ParameterFault[];
  /** Whether the lookup has names. */
  readonly hasLanguages: boolean;
}

export const argumentCheckOf: (route: Route) => ArgumentCheck = oncePer(({ parameters: known }) => {
  const names = new Set(known.map(({ name }) => name));
  const texts = known
    .filter(({ schema }) => schema.type === 'string' || schema.type === 'array')
    .map(({ name }) => name);
  const findMisspelt = createMisspeltFinder(known.filter(({ source }) => source === 'query').map(({ name }) => name));
  return {
    hasLanguages: names.has(LANGUAGES),
    listNoTexts(parameters) {
      const wrong = texts.filter((name) => Object.hasOwn(parameters, name) && isNoText(parameters[name]));
      return wrong.map((param) => ({ param, message: `${param} must be a text`, expected: 'a text' }));
    },
    listMisspelt(parameters) {
      // Names with other characters are no misspelling.
      const given = Object.keys(parameters).filter((name) => parameters[name] != null && /^[\w.-]+$/.test(name));
      return findMisspelt(given.join('&'));
    },
  };
});

function isNoText(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'number' && !Number.isFinite(value));
}

/** Throws InvalidArgumentError with the first fault, if any. */
export function refuseArguments(faults: readonly ParameterFault[]): void {
  if (faults[0] !== undefined) throw new InvalidArgumentError(faults[0].message, faults);
}

function refuseArgument(param: string, expected: string): never {
  const message = `${param} must be ${expected}`;
  throw new InvalidArgumentError(message, [{ param, message, expected }]);
}

/** A list of texts is one text with commas, as a URL has it. Anything else stays as it is, to be refused. */
export function joinArgumentLists(parameters: Lookup): Lookup {
  let joined: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(parameters)) {
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) continue;
    joined ??= { ...parameters };
    joined[name] = value.join();
  }
  return joined ?? parameters;
}

/** A text that `suggest` takes. */
export function parseQueryArgument(q: unknown): string {
  const text = typeof q === 'string' ? searchText.parse(q) : undefined;
  return text ?? refuseArgument('q', searchText.allowed);
}

/** Throws InvalidArgumentError unless a lookup could have these languages. */
export function checkLanguagesArgument(languages: unknown): void {
  const { lang } = joinArgumentLists({ lang: languages });
  if (typeof lang !== 'string' || languageTags.parse(lang) === undefined) {
    refuseArgument(LANGUAGES, languageTags.allowed);
  }
}

/** Programs without types may pass anything, such as an empty setting, which must not stand for the current folder. */
export function checkPath(path: unknown): void {
  if (path === undefined || (typeof path === 'string' && path !== '')) return;
  refuseArgument('path', 'a path as text, or undefined for the data in the package');
}

/** Upper-case codes; null where none are named. */
export function parseCountriesArgument(countries: unknown, path: string | undefined): readonly string[] | null {
  if (countries === undefined) return null;
  const known = packagedCountries();
  const codes = Array.isArray(countries) ? countries.map((code) => String(code).toUpperCase()) : [];
  const isNoCountry = (code: string): boolean => known.length > 0 && !known.includes(code);
  const isNamed = path === undefined && codes.length > 0 && codes.length <= MAX_NAMED_COUNTRIES;
  if (isNamed && !codes.some(isNoCountry)) return codes;
  const most = `up to ${MAX_NAMED_COUNTRIES} codes of countries in the package`;
  return refuseArgument('countries', `a list of ${most}, such as ["FR"], where no path is given`);
}
