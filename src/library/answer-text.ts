/**
 * A lookup of the library, answered by the table of routes: the text of the answer's `data`. Routes are bound when their
 * first lookup comes. The types of the package show nothing of this file: core's would come with it.
 */

import { bindFormatted, FORMAT } from '../api/description/answer-formats.js';
import { bindLookup, type LookUp, type Lookup } from '../api/description/bind-lookup.js';
import { statusOfCode } from '../api/description/error-codes.js';
import { createMisspeltFinder } from '../api/description/misspelt-parameters.js';
import { languageTags, searchText } from '../api/description/parameter-rules.js';
import type { Parameter } from '../api/description/parameters.js';
import { routeOf } from '../api/description/routes.js';
import { LANGUAGES } from '../api/description/shared-parameters.js';
import { oncePer } from '../base/once-per.js';
import { decodeUtf8 } from '../core/snapshot/byte-string.js';
import type { Snapshot } from '../core/snapshot/snapshot.js';
import { findAbsentCountry } from '../core/suggest/country-suggestions.js';
import { describeRelease } from '../core/use-cases/changes.js';
import { DomainError, type ParameterFault } from '../core/use-cases/domain-error.js';
import { readResponseData } from '../core/use-cases/response-data.js';
import { type Service, service } from '../core/use-cases/service.js';
import { InvalidArgumentError } from './errors.js';
import type { OneOrSeveral } from './lookups.js';

const lookUps = new Map<string, LookUp>();

const argumentChecks = new Map<string, ArgumentCheck>();

const releaseText = oncePer((snapshot: Snapshot) => decodeUtf8(describeRelease(snapshot)));

/**
 * Undefined for what does not exist: the API's 404. Throws InvalidArgumentError, also for a misspelt option alone. `lang`
 * has the languages of a lookup that names none.
 */
export function findText(
  snapshot: Snapshot,
  operation: string,
  given: Lookup,
  lang?: OneOrSeveral,
): string | undefined {
  if (operation === 'getRelease') return releaseText(snapshot);
  if (operation === 'countryWithoutData') {
    const { q, ...options } = given;
    refuse(argumentCheckOf('getCountry').listMisspelt(options));
    const absent = findAbsentCountry(snapshot, parseQuery(q), false);
    return absent && findText(snapshot, 'getCountry', { ...options, country: absent.country.entry.code }, lang);
  }
  const { listNoTexts, listMisspelt, hasLanguages } = argumentCheckOf(operation);
  const parameters = lang !== undefined && hasLanguages && given[LANGUAGES] === undefined ? { ...given, lang } : given;
  refuse(listNoTexts(parameters));
  let text: string | undefined;
  try {
    text = getText(snapshot, operation, parameters);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (statusOfCode[error.code] !== 404) throw new InvalidArgumentError(error.message, error.details ?? []);
  }
  refuse(listMisspelt(parameters));
  return text;
}

function argumentCheckOf(operation: string): ArgumentCheck {
  let check = argumentChecks.get(operation);
  if (check === undefined) {
    check = createArgumentCheck(routeOf(operation as keyof Service).parameters);
    argumentChecks.set(operation, check);
  }
  return check;
}

function refuse(faults: readonly ParameterFault[]): void {
  if (faults[0] !== undefined) throw new InvalidArgumentError(faults[0].message, faults);
}

/** The same; throws DomainError, whose message says what does not exist. With a `format` the text has that format. */
export function getText(snapshot: Snapshot, operation: string, parameters: Lookup): string {
  if (operation === 'getRelease') return releaseText(snapshot);
  let lookUp = lookUps.get(operation);
  if (lookUp === undefined) {
    lookUp = bindLookup(operation as keyof Service, service, bindFormatted);
    lookUps.set(operation, lookUp);
  }
  return readResponseData(lookUp(snapshot, joinLists(parameters)));
}

/** A list of texts is one text with commas, as a URL has it. Anything else stays as it is, to be refused. */
function joinLists(parameters: Lookup): Lookup {
  let joined: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(parameters)) {
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) continue;
    joined ??= { ...parameters };
    joined[name] = value.join();
  }
  return joined ?? parameters;
}

/*
 * Faults of arguments that a URL cannot have, or that the API ignores: URLs get parameters of other programs, and
 * everything in them is text, while the arguments of a lookup are all of one caller.
 */

interface ArgumentCheck {
  /** Texts that are no text: true, NaN. A number may stand for a code. */
  listNoTexts(parameters: Lookup): readonly ParameterFault[];
  /** Options that look like a known one. */
  listMisspelt(parameters: Lookup): readonly ParameterFault[];
  /** Whether the lookup has names. */
  readonly hasLanguages: boolean;
}

const NONE: readonly ParameterFault[] = [];
const NO_FORMAT = { param: FORMAT, message: `${FORMAT} is not an option of this lookup`, expected: 'JSON alone' };

function createArgumentCheck(known: readonly Parameter<unknown>[]): ArgumentCheck {
  const names = new Set(known.map(({ name }) => name));
  const texts = known.filter(({ schema }) => schema.type === 'string').map(({ name }) => name);
  const findMisspelt = createMisspeltFinder(known.filter(({ source }) => source === 'query').map(({ name }) => name));
  return {
    hasLanguages: names.has(LANGUAGES),
    listNoTexts(parameters) {
      const wrong = texts.filter((name) => Object.hasOwn(parameters, name) && isNoText(parameters[name]));
      return wrong.map((param) => ({ param, message: `${param} must be a text`, expected: 'a text' }));
    },
    listMisspelt(parameters) {
      const unknown = Object.keys(parameters).filter((name) => !names.has(name) && parameters[name] != null);
      // Its caller would take the answer for one in this format.
      if (unknown.includes(FORMAT)) return [NO_FORMAT];
      // Names with other characters are no misspelling.
      return unknown.length === 0 ? NONE : findMisspelt(unknown.filter((name) => /^[\w.-]+$/.test(name)).join('&'));
    },
  };
}

/** Throws InvalidArgumentError unless a lookup could have these languages. */
export function checkLanguages(languages: unknown): void {
  const { lang: joined } = joinLists({ lang: languages });
  if (typeof joined === 'string' && languageTags.parse(joined) !== undefined) return;
  throw wrongArgument(LANGUAGES, languageTags.allowed);
}

/** Throws InvalidArgumentError for what `suggest` does not take. */
function parseQuery(q: unknown): string {
  const text = typeof q === 'string' ? searchText.parse(q) : undefined;
  if (text === undefined) throw wrongArgument('q', searchText.allowed);
  return text;
}

function wrongArgument(param: string, expected: string): InvalidArgumentError {
  const message = `${param} must be ${expected}`;
  return new InvalidArgumentError(message, [{ param, message, expected }]);
}

function isNoText(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'number' && !Number.isFinite(value));
}
