/**
 * The peer of `bench:http -- peer`: the contract's nine endpoints by Express and PostgreSQL, in the contract's envelope. No
 * keys are checked, no ETags made and no requests counted: all three to the peer's advantage. The countries, some 250 short
 * objects that a release does not change, are read once and kept; all else is asked of the database.
 *
 * The first process starts as many workers as its second argument says, which share a port, and shares out CONNECTIONS to
 * the database among them; its first argument is the folder of the database's socket. It prints its port as one line of
 * JSON once all workers listen, and all end with its standard input.
 */
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';
import pg from 'pg';
import { foldText } from '../../dist/src/core/snapshot/fold-text.js';
import { compactPostcode, normalizePostcode } from '../../dist/src/core/snapshot/postcode-spelling.js';
import { SHORT_STARTS, TUNED_AUTOCOMPLETE } from './peer.mjs';

/** Of all workers together. */
const CONNECTIONS = 32;

// Each statement is named, so every connection prepares it once, and asks for rows as arrays, which `pg` makes faster than
// objects. A question is one statement and one trip to the database. A row of a place with what it lies in is
// `[answer, childCount, root, …, parent]`, with null for each level that is not there.

/** The parent of `p`, its parent, and the root above that: a place has at most four levels. */
const ANCESTORS = `
  LEFT JOIN place a ON a.number = p.parent
  LEFT JOIN place b ON b.number = a.parent
  LEFT JOIN place c ON c.number = b.parent`;
const DETAIL = 'p.answer, p.child_count, c.answer, b.answer, a.answer';
const POINT = 'ST_SetSRID(ST_MakePoint($1::float8, $2::float8), 4326)::geography';

function statement(name, text) {
  return (...values) => ({ name, text, values, rowMode: 'array' });
}

/** Each country's code, answer and detailed answer. */
const listCountries = statement('countries', 'SELECT code, answer, detail FROM country ORDER BY code');

const listPlaces = statement(
  'places',
  'SELECT answer FROM place WHERE country = $1 AND ordinal >= $2 AND ordinal < $3 ORDER BY ordinal',
);

const listPlacesOfLevel = statement(
  'level',
  `SELECT answer FROM place WHERE country = $1 AND level = $2 AND level_ordinal >= $3 AND level_ordinal < $4
  ORDER BY level_ordinal`,
);

const getPlace = statement('place', `SELECT ${DETAIL} FROM place p ${ANCESTORS} WHERE p.id = $2 AND p.country = $1`);

/** A row `[childCount, answer]` for each child of the page; one with null where the page is empty, none without the place. */
const listChildren = statement(
  'children',
  `SELECT p.child_count, child.answer FROM place p
  LEFT JOIN place child
    ON child.parent = p.number AND child.sibling_ordinal >= $3 AND child.sibling_ordinal < $4
  WHERE p.id = $2 AND p.country = $1 ORDER BY child.sibling_ordinal`,
);

const resolvePath = statement(
  'path',
  `SELECT ${DETAIL} FROM place p ${ANCESTORS} WHERE p.country = $1 AND p.path = $2`,
);

const findPostcode = statement(
  'postcode',
  `SELECT ${DETAIL} FROM (
    SELECT * FROM place WHERE country = $1 AND postcode_key = $2 ORDER BY ordinal LIMIT 100
  ) p ${ANCESTORS} ORDER BY p.ordinal`,
);

/** The best places whose folded name starts so: of the world, or of a country. */
function findStarting(folded, country, limit) {
  const [scope, where, more] = scopeOf(country);
  // The index alone finds the best; only their rows are read.
  const text = `SELECT p.answer FROM (
      SELECT number, rank FROM place WHERE folded >= $1 AND folded < $1 || '~' AND rank IS NOT NULL ${where}
      ORDER BY rank LIMIT $2
    ) best JOIN place p USING (number) ORDER BY best.rank`;
  return statement(`start ${scope}`, text)(folded, limit, ...more);
}

/** Likewise, with the indexes of SHORT_STARTS (peer.mjs) where they fit. */
function findStartingTuned(folded, country, limit) {
  const { length } = folded;
  if (length > SHORT_STARTS.at(-1)) return findStarting(folded, country, limit);
  const [scope, where, more] = scopeOf(country);
  const text = `SELECT answer FROM place WHERE left(folded, ${length}) = $1 AND rank IS NOT NULL ${where}
    ORDER BY rank LIMIT $2`;
  return statement(`start ${length} ${scope}`, text)(folded, limit, ...more);
}

function scopeOf(country) {
  return country === undefined ? ['world', '', []] : ['country', 'AND country = $3', [country]];
}

/** The code of the country with the nearest centre. */
const nearestCountry = statement('centre', `SELECT code FROM country ORDER BY centre <-> ${POINT} LIMIT 1`);

/** The nearest place of a country, its distance in metres on a sphere behind it; `coarse` are those asked for last. */
const nearestPlace = { sure: nearest('nearest', 'tier = 0'), coarse: nearest('nearest coarse', 'tier > 0') };

function nearest(name, condition) {
  return statement(
    name,
    `SELECT ${DETAIL}, ST_Distance(p.point, ${POINT}, false) FROM (
      SELECT * FROM place WHERE country = $3 AND ${condition} ORDER BY point <-> ${POINT} LIMIT 1
    ) p ${ANCESTORS}`,
  );
}

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
async function createApp(pool) {
  const { rows } = await pool.query(listCountries());
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
        return pageOf(page, stats.totalPlaces, await ask(listPlaces(code, page.start, page.end)));
      }
      const level = readInteger(query.level, 1, 4);
      const { count } = stats.levels.find((entry) => entry.level === level) ?? { count: 0 };
      return pageOf(page, count, await ask(listPlacesOfLevel(code, level, page.start, page.end)));
    },

    '/v1/countries/:country/places/:id': async ({ params }) => {
      const { code } = countryWithData(params.country);
      return placeOf(await ask(getPlace(code, readId(params.id))));
    },

    '/v1/countries/:country/places/:id/children': async ({ params, query }) => {
      const { code } = countryWithData(params.country);
      const page = readPage(query);
      const found = await ask(listChildren(code, readId(params.id), page.start, page.end));
      if (found.length === 0) throw new Refusal(404, 'PLACE_NOT_FOUND');
      const children = found.filter(([, answer]) => answer !== null).map(([, answer]) => [answer]);
      return pageOf(page, found[0][0], children);
    },

    '/v1/countries/:country/resolve': async ({ params, query }) => {
      const { code } = countryWithData(params.country);
      if (typeof query.path !== 'string' || !query.path.startsWith('/')) throw invalid();
      return placeOf(await ask(resolvePath(code, query.path)));
    },

    '/v1/countries/:country/postcodes/:postcode': async ({ params }) => {
      const { code } = countryWithData(params.country);
      const postcode = normalizePostcode(params.postcode);
      if (postcode.length < 1 || postcode.length > 20) throw invalid();
      const found = await ask(findPostcode(code, compactPostcode(postcode)));
      if (found.length === 0) throw new Refusal(404, 'POSTCODE_NOT_FOUND');
      const places = found.map(detailOf);
      return { countryCode: code, postcode: places[0].postalCode, places };
    },

    '/v1/autocomplete': ({ query }) => suggest(query, findStarting),

    [TUNED_AUTOCOMPLETE]: ({ query }) => suggest(query, findStartingTuned),

    '/v1/reverse': async ({ query }) => {
      const [lat, lng] = [readNumber(query.lat, -90, 90), readNumber(query.lng, -180, 180)];
      const wanted = query.country ?? (await ask(nearestCountry(lng, lat)))[0][0];
      const { code } = countryWithData(wanted);
      for (const find of [nearestPlace.sure, nearestPlace.coarse]) {
        const [row] = await ask(find(lng, lat, code));
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

async function startSupervisor(count) {
  // A worker has no business to end.
  cluster.on('exit', (_, code) => process.exit(code || 1));
  process.stdin.on('end', () => process.exit()).resume();
  const workers = Array.from({ length: count }, () => cluster.fork());
  const addresses = await Promise.all(workers.map((worker) => once(worker, 'listening')));
  process.stdout.write(`${JSON.stringify({ port: addresses[0][0].port })}\n`);
}

async function serve(max) {
  const pool = new pg.Pool({ host: socketFolder, user: 'peer', database: 'postgres', max, idleTimeoutMillis: 0 });
  const app = await createApp(pool);
  app.listen({ port: 0, host: '127.0.0.1', backlog: 1024 });
}

const [socketFolder, workerCount] = process.argv.slice(2);
if (cluster.isPrimary) await startSupervisor(Number(workerCount));
else await serve(Math.max(1, Math.floor(CONNECTIONS / Number(workerCount))));
