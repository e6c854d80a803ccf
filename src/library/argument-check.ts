/**
 * Faults of arguments that a URL cannot have, or that the API ignores: URLs get parameters of other programs, and
 * everything in them is text, while the arguments of a lookup are all of one caller.
 */
import type { Lookup } from '../api/lookup.js';
import { createMisspeltFinder } from '../api/misspelt-params.js';
import type { Parameter } from '../api/params.js';
import type { ParameterFault } from '../service/domain-error.js';

export interface ArgumentCheck {
  /** Texts that are no text: true, NaN. A number may stand for a code. */
  listNoTexts(parameters: Lookup): readonly ParameterFault[];
  /** Options that look like a known one. */
  listMisspelt(parameters: Lookup): readonly ParameterFault[];
}

const NONE: readonly ParameterFault[] = [];

export function createArgumentCheck(known: readonly Parameter<unknown>[]): ArgumentCheck {
  const names = new Set(known.map(({ name }) => name));
  const texts = known.filter(({ schema }) => schema.type === 'string').map(({ name }) => name);
  const findMisspelt = createMisspeltFinder(known.filter(({ source }) => source === 'query').map(({ name }) => name));
  return {
    listNoTexts(parameters) {
      const wrong = texts.filter((name) => Object.hasOwn(parameters, name) && isNoText(parameters[name]));
      return wrong.map((param) => ({ param, message: `${param} must be a text`, expected: 'a text' }));
    },
    listMisspelt(parameters) {
      const unknown = Object.keys(parameters).filter((name) => !names.has(name) && parameters[name] != null);
      // Names with other characters are no misspelling.
      return unknown.length === 0 ? NONE : findMisspelt(unknown.filter((name) => /^[\w.-]+$/.test(name)).join('&'));
    },
  };
}

function isNoText(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'number' && !Number.isFinite(value));
}
