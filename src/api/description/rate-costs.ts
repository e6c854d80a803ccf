/**
 * How many requests of the rate limit a request counts as: one, or more where its answer can take several times as long.
 * The query tells it before anything is looked up. No answer of the world's data takes more than 1.6 ms of processor time
 * for each (test/soak/worst-query.soak.ts), so a client that goes on asking 200 times a second takes a third of a
 * processor at most, once its burst is used up. Of the monthly quota every request takes one.
 */

import { decodeQueryComponent, findQueryPieces, queryPieceValue } from '../../base/query-string.js';
import { MAX_LINES_ABOVE } from '../../core/suggest/address-match.js';
import { FORMAT } from './answer-formats.js';

interface RateCost {
  /** By the query string, as it was sent. */
  readonly of: (query: string) => number;
  /** The cost as a sentence of the description. */
  readonly told: string;
}

/** Digits of every script: folding makes them 0 to 9. */
const DIGIT = /\p{N}/u;
/** Maximum length of a text that is a code alone, in characters: `SW1A 1AA`, `1000-001`. */
const CODE_LENGTH = 8;

/** A longer text with a digit is read as an address line: each number in it may be a code of many countries. */
const TOLD_OF_TEXT = `or as three if a text of more than ${CODE_LENGTH} characters has a digit.`;

/** The cost of a search in Photon's protocol, which also looks up the city of each suggestion. */
function ofPhotonText(...names: readonly string[]): RateCost {
  return {
    of: (query) => Math.max(2, costOfText(names.flatMap((name) => textsOf(query, name)).join(' '))),
    told: `It counts as two requests of the rate, ${TOLD_OF_TEXT}`,
  };
}

function costOfText(text: string): number {
  return text.trim().length > CODE_LENGTH && DIGIT.test(text) ? 3 : 1;
}

/** Maximum number of lines of an address that are read, each as such a text, until one leads to a place. */
const READ_LINES = MAX_LINES_ABOVE + 1;

function costOfAddress(address: string): number {
  const dear = address
    .split(/[\r\n]+/)
    .map(costOfText)
    .filter((cost) => cost > 1);
  return dear.slice(0, READ_LINES).reduce((sum, cost) => sum + cost, 0) || 1;
}

/** Number of results from which on a list in another format than JSON takes longer than any lookup. */
const MANY = 50;

export const RATE_COSTS = {
  autocomplete: {
    of: (query) => costOfText(textsOf(query, 'q').join(' ')),
    told: `It counts as one request of the rate, ${TOLD_OF_TEXT}`,
  },
  nearby: {
    of: (query) => (isFormatted(query) && textsOf(query, 'limit').some((text) => Number(text) > MANY) ? 2 : 1),
    told: `GeoJSON or CSV with a \`limit\` over ${MANY} counts as two requests of the rate.`,
  },
  findPostcodes: {
    of: (query) => (isFormatted(query) ? 3 : 1),
    told: 'GeoJSON or CSV counts as three requests of the rate.',
  },
  match: {
    of: (query) => costOfAddress(textsOf(query, 'address').join('\n')),
    told:
      'It counts as one request of the rate, or as three for each line that has ' +
      `more than ${CODE_LENGTH} characters and a digit, of at most ${READ_LINES} lines at the end.`,
  },
  listPostcodes: {
    // Reads every code of the country.
    of: () => 2,
    told: 'It counts as two requests of the rate.',
  },
  photonReverse: {
    of: (query) =>
      ['layer', 'osm_tag'].some((name) => findQueryPieces(query, name).length > 0) ||
      textsOf(query, 'limit').some((text) => Number(text) > 1)
        ? 2
        : 1,
    told: 'With `layer`, `osm_tag` or a `limit` over 1 it counts as two requests of the rate.',
  },
  photonSearch: ofPhotonText('q'),
  photonStructured: ofPhotonText('postcode', 'district', 'city', 'county', 'state'),
} satisfies Readonly<Record<string, RateCost>>;

const COSTS: Readonly<Record<string, RateCost | undefined>> = RATE_COSTS;

/** The cost by the query string; undefined where it is 1. `operation` is the id of a route or of an operation of Photon. */
export function findRateCost(operation: string): RateCost['of'] | undefined {
  return COSTS[operation]?.of;
}

/** The lookups of a bulk request take the rate of the requests that ask for each alone. */
export function rateCostOfLookups(lookups: readonly unknown[]): number {
  return lookups.reduce<number>((sum, lookup) => {
    const { q, address } = (lookup ?? {}) as { readonly q?: unknown; readonly address?: unknown };
    return sum + Math.max(costOfText(textOf(q)), costOfAddress(textOf(address)));
  }, 0);
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function textsOf(query: string, name: string): string[] {
  return findQueryPieces(query, name).map((piece) => decodeQueryComponent(queryPieceValue(piece)) ?? '');
}

function isFormatted(query: string): boolean {
  return textsOf(query, FORMAT).some((format) => format !== 'json');
}
