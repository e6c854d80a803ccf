/**
 * The format of a response: `format` of the query decides, and `Accept` where the query says nothing and the route has
 * GeoJSON. CSV is for the query alone: no program asks for it by mistake. A request for JSON costs two comparisons.
 */

import type { Request } from 'express';
import { toOriginForm } from '../../server/request-target.js';
import { type Format, formatAnswer, MEDIA_TYPES } from '../description/answer-formats.js';
import type { Route } from '../description/define-route.js';
import { languageTags } from '../description/parameter-rules.js';
import { type AnswerForm, envelopeEnd } from './render-response.js';

/** The `q` of a media range (RFC 9110, 12.4.2). */
const QUALITY = /^[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*$/i;

/**
 * Whether a client prefers GeoJSON to JSON by its `Accept` (RFC 9110, 12.5.1). Of each type the most specific range
 * counts. Of two types with one quality, the one in the more specific range is preferred, then JSON: so `*` for all
 * types is JSON. A range with a quality that is none is passed over.
 */
export function prefersGeoJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return false;
  const qualities = new Map<string, number>();
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';');
    const weight = parameters.find((parameter) => /^[ \t]*q[ \t]*=/i.test(parameter));
    const quality = weight === undefined ? '1' : QUALITY.exec(weight)?.[1];
    if (quality !== undefined) qualities.set(type.trim().toLowerCase(), Number(quality));
  }
  const quality = qualities.get('application/geo+json');
  // A client that names no GeoJSON expects none.
  if (quality === undefined) return false;
  const ranges = ['application/json', 'application/*', '*/*'];
  const ofJson = ranges.find((range) => qualities.has(range));
  const jsonQuality = ofJson === undefined ? 0 : (qualities.get(ofJson) as number);
  return quality > jsonQuality || (quality === jsonQuality && quality > 0 && ofJson !== ranges[0]);
}

/** How the data of a route become the body of a response; `query` has the parameters of the request. */
export function createNegotiatedForm(
  route: Route,
  format: Exclude<Format, 'json'>,
  query: string,
  { originalUrl }: Pick<Request, 'originalUrl'>,
): AnswerForm {
  return {
    contentType: MEDIA_TYPES[format],
    render(data, correlationId, headers) {
      const { text, page } = formatAnswer(route, format, data, query);
      // The metadata of the envelope are the last member.
      if (format === 'geojson') return text.slice(0, -1) + envelopeEnd(correlationId);
      if (page !== undefined) headers.push('x-total-count', String(page.totalCount));
      if (page?.hasNextPage) headers.push('link', `<${pageTarget(originalUrl, page.pageNumber + 1)}>; rel="next"`);
      return text;
    },
  };
}

/** The target of the same request for another page. URL encodes what a header can't have. */
function pageTarget(target: string, page: number): string {
  const { pathname, searchParams } = new URL(toOriginForm(target), 'http://localhost');
  searchParams.set('page', String(page));
  return `${pathname}?${searchParams}`;
}

/* Accept-Language, of Photon's protocol alone. */

/** Maximum number of languages of a header that are looked at, and of those that names are in. */
const MAX_RANGES = 20;
const MAX_LANGUAGES = 3;
const RANGE = /^\s*([a-z\d-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i;

/** The languages of Accept-Language (RFC 9110, 12.5.4), the preferred first, separated by commas; empty for none. */
export function preferredLanguages(acceptLanguage = ''): string {
  const ranges = acceptLanguage.split(',', MAX_RANGES).flatMap((text) => {
    const [, tag = '', quality = '1'] = RANGE.exec(text) ?? [];
    return languageTags.parse(tag) === undefined || Number(quality) === 0 ? [] : [{ tag, quality: Number(quality) }];
  });
  ranges.sort((a, b) => b.quality - a.quality);
  return ranges
    .slice(0, MAX_LANGUAGES)
    .map(({ tag }) => tag)
    .join();
}
