/**
 * The peer's tables, filled from a snapshot by the server's own lookups, so both have the same places with the same ids,
 * in the same orders. What a build can know beforehand is a column: where a place stands in each of the orders that pages
 * have, how many children it has, its rank among suggestions. Rows are copied country by country in the order of the tree,
 * siblings by name: pages of children lie together. Takes about two minutes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { decodeUtf8 } from '../../../dist/src/core/snapshot/byte-string.js';
import { foldText } from '../../../dist/src/core/snapshot/fold-text.js';
import { childRange, NO_PARENT } from '../../../dist/src/core/snapshot/place-tree.js';
import { POINT_TIERS, pointTier } from '../../../dist/src/core/snapshot/point-index.js';
import { compactPostcode } from '../../../dist/src/core/snapshot/postcode.js';
import { countryDetailJson, countryRangeJson } from '../../../dist/src/core/snapshot/rendered-countries.js';
import { parsePlace, placeJsonAndComma } from '../../../dist/src/core/snapshot/rendered-places.js';
import { openSnapshot } from '../../../dist/src/core/snapshot/snapshot.js';
import { SHORT_STARTS } from './queries.mjs';

const CHUNK_CHARACTERS = 1 << 20;

/**
 * Places are joined by `number`. `ordinal` counts the places of a country by name then id, `level_ordinal` those of a
 * level, `sibling_ordinal` those of a parent, each from 0. `rank` is the snapshot's among the suggestions of the world, the
 * best first; null where another place stands for this one. `point` and `tier` are of the places that reverse lookups can
 * find: see src/core/snapshot/point-index.ts.
 */
const TABLES = `
CREATE EXTENSION postgis;
CREATE EXTENSION btree_gist;
CREATE TABLE country (
  code text PRIMARY KEY,
  answer json NOT NULL,
  detail json NOT NULL,
  centre geography(Point, 4326)
);
CREATE TABLE place (
  number integer NOT NULL,
  parent integer,
  child_count integer NOT NULL,
  ordinal integer NOT NULL,
  level_ordinal integer NOT NULL,
  sibling_ordinal integer NOT NULL,
  rank integer,
  level smallint NOT NULL,
  tier smallint,
  id uuid NOT NULL,
  country text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  postcode_key text COLLATE "C",
  folded text COLLATE "C" NOT NULL,
  point geography(Point, 4326),
  answer json NOT NULL
);`;
const COLUMNS =
  'number, parent, child_count, ordinal, level_ordinal, sibling_ordinal, rank, level, tier, id, country, path, ' +
  'postcode_key, folded, point, answer';

/**
 * In the collation "C" an ordinary index serves prefixes as ranges, as text_pattern_ops would. Many names share their
 * first letters: for the tuned peer an index for each number of these has the best places of each such start in order.
 */
const INDEXES = [
  'CREATE UNIQUE INDEX ON place (number)',
  'CREATE UNIQUE INDEX ON place (id)',
  'CREATE UNIQUE INDEX ON place (country, path)',
  'CREATE UNIQUE INDEX ON place (country, ordinal)',
  'CREATE UNIQUE INDEX ON place (country, level, level_ordinal)',
  'CREATE UNIQUE INDEX ON place (parent, sibling_ordinal) WHERE parent IS NOT NULL',
  'CREATE INDEX ON place (country, postcode_key, ordinal) WHERE postcode_key IS NOT NULL',
  'CREATE INDEX ON place (folded, rank, number) WHERE rank IS NOT NULL',
  'CREATE INDEX ON place (country, folded, rank, number) WHERE rank IS NOT NULL',
  ...SHORT_STARTS.flatMap((length) => [
    `CREATE INDEX ON place (left(folded, ${length}), rank) WHERE rank IS NOT NULL`,
    `CREATE INDEX ON place (country, left(folded, ${length}), rank) WHERE rank IS NOT NULL`,
  ]),
  'CREATE INDEX ON place USING gist (country, point) WHERE tier = 0',
  'CREATE INDEX ON place USING gist (country, point) WHERE tier > 0',
];

/** Makes and fills the tables of an empty database, and has it look at them; `{placeCount, bytes}` of all with indexes. */
export async function load({ connection, programs }, snapshotFile) {
  const snapshot = openSnapshot(snapshotFile);
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(TABLES);
    await copy({ connection, programs }, 'country (code, answer, detail, centre)', countryRows(snapshot));
    await copy({ connection, programs }, `place (${COLUMNS})`, placeRows(snapshot));
    for (const statement of INDEXES) await client.query(statement);
    await client.query('VACUUM (FREEZE, ANALYZE)');
    const { rows } = await client.query('SELECT count(*)::int AS "placeCount" FROM place');
    const { rows: sizes } = await client.query('SELECT pg_database_size(current_database())::float8 AS bytes');
    return { ...rows[0], ...sizes[0] };
  } finally {
    await client.end();
  }
}

/** Feeds rows, each an array of values, to COPY by psql. */
async function copy({ connection: { host, user, database }, programs }, into, rows) {
  const args = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', host, '-U', user, '-d', database];
  const stdio = ['pipe', 'ignore', 'inherit'];
  const psql = spawn(join(programs, 'psql'), [...args, '-c', `COPY ${into} FROM STDIN`], { stdio });
  const ended = once(psql, 'exit');
  await pipeline(Readable.from(chunksOf(rows)), psql.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error(`COPY ${into} ended with exit code ${code}`);
}

function* chunksOf(rows) {
  let chunk = '';
  for (const row of rows) {
    chunk += `${row.map(fieldOf).join('\t')}\n`;
    if (chunk.length > CHUNK_CHARACTERS) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

const ESCAPES = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A value in the text format of COPY. */
function fieldOf(value) {
  if (value === null || value === undefined) return '\\N';
  return typeof value === 'string' ? value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]) : String(value);
}

function* countryRows({ countries, renderedCountries }) {
  for (const { entry, number } of countries) {
    const answer = textOf(countryRangeJson(renderedCountries, number, number + 1));
    const detail = `${decodeUtf8(countryDetailJson(renderedCountries, number).join(''))}}`;
    yield [entry.code, answer, detail, entry.centre && pointText(entry.centre.longitude, entry.centre.latitude)];
  }
}

function* placeRows(snapshot) {
  const rankOf = rankLookup(snapshot);
  let base = 0;
  for (const { entry, number: country, structures } of snapshot.countries) {
    if (structures === undefined) continue;
    const { tree, orders, renderedPlaces } = structures;
    const ordinals = positionsIn(orders.all);
    const levelOrdinals = positionsIn(orders.byLevel);
    const found = findable(structures);
    for (let place = 0; place < tree.placeCount; place++) {
      const json = decodeUtf8(placeJsonAndComma(renderedPlaces, place));
      const { path, postalCode, name, id, level } = parsePlace(json, 0).place;
      const parent = tree.parents[place];
      const siblings = parent === NO_PARENT ? { start: 0 } : childRange(tree, parent);
      const children = childRange(tree, place);
      const { tier, point } = found.get(place) ?? {};
      yield [
        base + place,
        parent === NO_PARENT ? null : base + parent,
        children.end - children.start,
        ordinals[place],
        levelOrdinals[place] - tree.levelStarts[level - 1],
        place - siblings.start,
        rankOf(country, place),
        level,
        tier,
        id,
        entry.code,
        path,
        postalCode && compactPostcode(postalCode),
        foldText(name),
        point,
        json.slice(0, -1),
      ];
    }
    base += tree.placeCount;
  }
}

function textOf(bytes) {
  return Buffer.from(bytes).toString('utf8');
}

/** The position of each number in a list that has each once. */
function positionsIn(list) {
  const positions = new Uint32Array(list.length);
  list.forEach((number, position) => {
    positions[number] = position;
  });
  return positions;
}

/** A function that gives a place's rank among the names of the world, null where it has none. */
function rankLookup({ countries, worldNames }) {
  const ranks = countries.map(({ structures }) => new Int32Array(structures?.tree.placeCount ?? 0).fill(-1));
  worldNames.places.forEach((place, rank) => {
    ranks[worldNames.countries[rank]][place] = rank;
  });
  return (country, place) => (ranks[country][place] === -1 ? null : ranks[country][place]);
}

/** Of each place that a reverse lookup can find its tier and its point. */
function findable({ points }) {
  const found = new Map();
  for (let tier = 0; tier < POINT_TIERS.length; tier++) {
    const { places, coords } = pointTier(points, tier);
    places.forEach((place, at) => {
      found.set(place, { tier, point: pointText(coords[at * 2], coords[at * 2 + 1]) });
    });
  }
  return found;
}

/** A point as PostGIS writes it: little-endian EWKB in hexadecimal digits. */
function pointText(longitude, latitude) {
  const bytes = Buffer.alloc(25);
  bytes.writeUInt8(1, 0);
  bytes.writeUInt32LE(0x20000001, 1);
  bytes.writeUInt32LE(4326, 5);
  bytes.writeDoubleLE(longitude, 9);
  bytes.writeDoubleLE(latitude, 17);
  return bytes.toString('hex');
}
