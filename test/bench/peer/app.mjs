/**
 * The contract's nine endpoints by Express and PostgreSQL, in the contract's envelope. No keys are checked, no ETags made
 * and no requests counted: all three to the peer's advantage. The countries, some 250 short objects that a release does
 * not change, are read once and kept; all else is asked of the database.
 */
import { randomUUID } from 'node:crypto';
import express from 'express';
import { foldText } from '../../../dist/src/core/snapshot/fold-text.js';
import { compactPostcode, normalizePostcode } from '../../../dist/src/core/snapshot/postcode.js';
import * as queries from './queries.mjs';

/** Autocomplete with indexes that nobody makes who has not looked for the slowest question. */
export const TUNED_AUTOCOMPLETE = '/v1/tuned-autocomplete';
const RADIUS_METRES = 80_000;
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What a request is refused with. */
class Refusal extends Error {
  constructor(status, code) {
    super(code);
    this.status = status;
  }
}

const invalid = () => new Refusal(400, 'VALIDATION_FAILED');

/** The application; `pool` is that of `pg`. */
export async function createApp(pool) {
  const { rows } = await pool.query(queries.listCountries());
  const countries = new Map(rows.map(([code, answer, detail]) => [code, { answer, detail }]));
  const answers = [...countries.values()].map(({ answer }) => answer);
  const answersWithPostcodes = answers.filter(({ hasPostcodes }) => hasPostcodes);
  const ask = async (query) => (await pool.query(query)).rows;

  /** The detail of a country that has postcode data. */
  function countryWithData(code) {
    const found = countries.get(code.toUpperCase())?.detail;
    if (found === undefined) throw new Refusal(404, 'COUNTRY_NOT_FOUND');
    if (found.stats === undefined) throw new Refusal(404, 'NO_POSTCODE_DATA');
    return found;
  }

  async function suggest({ q, country, limit = '10' }, queryOf) {
    if (typeof q !== 'string' || q.length < 2 || q.length > 100) throw invalid();
    const folded = foldText(q);
    if (folded === '') throw invalid();
    const code = country === undefined ? undefined : countryWithData(country).code;
    const found = await ask(queryOf(folded, code, readInteger(limit, 1, 25)));
    return found.map(([{ name, countryCode, postalCode, path, url }]) => {
      const countryName = countries.get(countryCode).answer.name;
      return { kind: 'place', name, countryCode, countryName, postalCode, path, url };
    });
  }

  /** Each handler gives `data`, or a promise of it. */
  const handlers = {
    '/v1/countries': ({ query }) => (query.hasPostcodes === 'true' ? answersWithPostcodes : answers),

    '/v1/countries/:country': ({ params }) => {
      const found = countries.get(params.country.toUpperCase());
      if (found === undefined) throw new Refusal(404, 'COUNTRY_NOT_FOUND');
      return found.detail;
    },

    '/v1/countries/:country/places': async ({ params, query }) => {
      const { code, stats } = countryWithData(params.country);
      const page = readPage(query);
      if (query.level === undefined) {
        return pageOf(page, stats.totalPlaces, await ask(queries.listPlaces(code, page.start, page.end)));
      }
      const level = readInteger(query.level, 1, 4);
      const { count } = stats.levels.find((entry) => entry.level === level) ?? { count: 0 };
      return pageOf(page, count, await ask(queries.listPlacesOfLevel(code, level, page.start, page.end)));
    },

    '/v1/countries/:country/places/:id': async ({ params }) => {
      const { code } = countryWithData(params.country);
      return placeOf(await ask(queries.getPlace(code, readId(params.id))));
    },

    '/v1/countries/:country/places/:id/children': async ({ params, query }) => {
      const { code } = countryWithData(params.country);
      const page = readPage(query);
      const found = await ask(queries.listChildren(code, readId(params.id), page.start, page.end));
      if (found.length === 0) throw new Refusal(404, 'PLACE_NOT_FOUND');
      const children = found.filter(([, answer]) => answer !== null).map(([, answer]) => [answer]);
      return pageOf(page, found[0][0], children);
    },

    '/v1/countries/:country/resolve': async ({ params, query }) => {
      const { code } = countryWithData(params.country);
      if (typeof query.path !== 'string' || !query.path.startsWith('/')) throw invalid();
      return placeOf(await ask(queries.resolvePath(code, query.path)));
    },

    '/v1/countries/:country/postcodes/:postcode': async ({ params }) => {
      const { code } = countryWithData(params.country);
      const postcode = normalizePostcode(params.postcode);
      if (postcode.length < 1 || postcode.length > 20) throw invalid();
      const found = await ask(queries.findPostcode(code, compactPostcode(postcode)));
      if (found.length === 0) throw new Refusal(404, 'POSTCODE_NOT_FOUND');
      const places = found.map(detailOf);
      return { countryCode: code, postcode: places[0].postalCode, places };
    },

    '/v1/autocomplete': ({ query }) => suggest(query, queries.suggest),

    [TUNED_AUTOCOMPLETE]: ({ query }) => suggest(query, queries.suggestTuned),

    '/v1/reverse': async ({ query }) => {
      const [lat, lng] = [readNumber(query.lat, -90, 90), readNumber(query.lng, -180, 180)];
      const wanted = query.country ?? (await ask(queries.nearestCountry(lng, lat)))[0][0];
      const { code } = countryWithData(wanted);
      for (const nearest of [queries.nearestPlace.sure, queries.nearestPlace.coarse]) {
        const [row] = await ask(nearest(lng, lat, code));
        const metres = row?.at(-1) ?? Infinity;
        if (metres <= RADIUS_METRES) return { place: detailOf(row), distanceKm: Math.round(metres) / 1000 };
      }
      throw new Refusal(404, 'NO_NEARBY_PLACE');
    },
  };

  const app = express().disable('x-powered-by').disable('etag');
  for (const [path, handle] of Object.entries(handlers)) {
    app.get(path, async (request, response) => {
      const data = await handle(request);
      response.set({ 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' });
      response.json({ statusCode: 200, data, metadata: { correlationId: randomUUID() } });
    });
  }
  app.use((error, _request, response, _next) => {
    // Express too says the status of what it refuses, such as a path that can't be decoded.
    const { status: statusCode = 500 } = error;
    if (statusCode >= 500) process.stderr.write(`${error.stack}\n`);
    const code = error instanceof Refusal ? error.message : statusCode < 500 ? 'VALIDATION_FAILED' : 'INTERNAL_ERROR';
    const metadata = { correlationId: randomUUID() };
    response.status(statusCode).json({ statusCode, error: { message: code, code }, metadata });
  });
  return app;
}

function placeOf([row]) {
  if (row === undefined) throw new Refusal(404, 'PLACE_NOT_FOUND');
  return detailOf(row);
}

function detailOf([answer, childCount, root, second, parent]) {
  const ancestors = [root, second, parent].filter((ancestor) => ancestor !== null);
  return { ...answer, ancestors, childCount };
}

function pageOf({ page, pageSize }, totalCount, rows) {
  const totalPages = Math.ceil(totalCount / pageSize);
  return {
    items: rows.map(([answer]) => answer),
    pageNumber: page,
    pageSize,
    totalCount,
    totalPages,
    hasPreviousPage: page > 1 && totalCount > 0,
    hasNextPage: page < totalPages,
  };
}

function readPage(query) {
  const page = readInteger(query.page ?? '1', 1, 1_000_000);
  const pageSize = readInteger(query.pageSize ?? '50', 1, 100);
  return { page, pageSize, start: (page - 1) * pageSize, end: page * pageSize };
}

function readInteger(text, min, max) {
  return /^\d+$/.test(text) ? readNumber(text, min, max) : refuse();
}

function readNumber(text, min, max) {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return value >= min && value <= max ? value : refuse();
}

function readId(text) {
  return ID.test(text) ? text : refuse();
}

function refuse() {
  throw invalid();
}
