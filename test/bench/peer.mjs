/**
 * The peer of `bench:http -- peer` beside its program (peer-server.mjs): its database, which is filled from the snapshot by
 * the server's own lookups, so both sides have the same places with the same ids, in the same orders; and whether both
 * answer the same. What a build can know beforehand is a column of the database. PostgreSQL is a fresh cluster in a
 * temporary folder, reached by a socket in that folder and by nothing else.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { decodeUtf8 } from '../../dist/src/core/snapshot/byte-string.js';
import { foldText } from '../../dist/src/core/snapshot/fold-text.js';
import { childRange, NO_PARENT } from '../../dist/src/core/snapshot/place-tree.js';
import { POINT_TIERS, pointTier } from '../../dist/src/core/snapshot/point-index.js';
import { compactPostcode } from '../../dist/src/core/snapshot/postcode-spelling.js';
import { renderedCountriesJson, renderedCountryDetail } from '../../dist/src/core/snapshot/rendered-countries.js';
import { parsePlace, placeJsonAndComma } from '../../dist/src/core/snapshot/rendered-places.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { fail } from './measuring.mjs';
import { firstLine, request } from './programs.mjs';

/** Autocomplete with indexes that nobody makes who has not looked for the slowest question. */
export const TUNED_AUTOCOMPLETE = '/v1/tuned-autocomplete';
/** The lengths of starts that have an index of their own for the tuned autocomplete. */
export const SHORT_STARTS = [2, 3, 4];
const PROGRAMS = '/usr/lib/postgresql';
const EXTENSIONS = '/usr/share/postgresql';
const PACKAGES = 'postgresql-15 postgresql-15-postgis-3';
const START_MS = 60_000;
const TAIL_CHARACTERS = 4_000;

/** Of a machine that serves short reads of data which fit into memory, and holds nothing that a crash could lose. */
const SETTINGS = {
  listen_addresses: '',
  max_connections: '50',
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  work_mem: '16MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  fsync: 'off',
  full_page_writes: 'off',
  random_page_cost: '1.1',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Each statement has one good plan, whatever its parameters; planning again would cost more than most answers.
  plan_cache_mode: 'force_generic_plan',
};

/**
 * Starts the server: `connection` is what a client of it is made with, `pid` its first process, `programs` the folder of
 * psql and its like. `stop` ends it and removes its folder. Throws with what
 * the server wrote where it does not start.
 */
export async function startPostgres() {
  const programs = findPrograms();
  const owner = process.getuid() === 0 ? idsOf('nobody') : {};
  const folder = mkdtempSync(join(tmpdir(), 'postal-peer-'));
  let server;
  const stop = async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
    const data = join(folder, 'data');
    const options = ['--no-locale', '--encoding=UTF8', '--auth=trust', '--username=peer', '--no-sync', '-D', data];
    execFileSync(join(programs, 'initdb'), options, { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    server = spawnServer(programs, data, folder, owner);
    const connection = { host: folder, user: 'peer', database: 'postgres' };
    await untilItAnswers(connection, server);
    return { connection, pid: server.pid, programs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The programs of the latest version that has PostGIS; ends this process where none has. */
function findPrograms() {
  const versions = existsSync(PROGRAMS) ? readdirSync(PROGRAMS).sort((a, b) => Number(b) - Number(a)) : [];
  // Debian has PostGIS in two packages: the library, and the scripts that make its functions.
  const version = versions.find((name) =>
    [
      join(PROGRAMS, name, 'bin/initdb'),
      join(PROGRAMS, name, 'lib/postgis-3.so'),
      join(EXTENSIONS, name, 'extension/postgis.control'),
    ].every((file) => existsSync(file)),
  );
  if (version === undefined) fail(`PostgreSQL with PostGIS is missing: apt-get install --yes ${PACKAGES}`);
  return join(PROGRAMS, version, 'bin');
}

function idsOf(user) {
  const [uid, gid] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, user], { encoding: 'utf8' })));
  return { uid, gid };
}

/** A group of its own keeps a terminal's SIGINT from the server, which is stopped behind those that ask it. */
function spawnServer(programs, data, socketFolder, owner) {
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socketFolder });
  const args = ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const options = { ...owner, cwd: data, detached: true, stdio: ['ignore', 'ignore', 'pipe'] };
  const child = spawn(join(programs, 'postgres'), args, options);
  let tail = '';
  child.stderr.on('data', (chunk) => {
    tail = (tail + chunk).slice(-TAIL_CHARACTERS);
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid,
    hasEnded,
    written: () => tail,
    async stop() {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      // Fast shutdown: connections are cut.
      child.kill('SIGINT');
      await ended;
    },
  };
}

async function untilItAnswers(connection, server) {
  const deadlineMs = performance.now() + START_MS;
  for (;;) {
    const client = new pg.Client(connection);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      if (server.hasEnded() || performance.now() > deadlineMs) {
        throw new Error(`PostgreSQL did not start: ${server.written()}`, { cause });
      }
    }
    await wait(100);
  }
}

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
export async function fillDatabase({ connection, programs }, snapshotFile) {
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
    const answer = textOf(renderedCountriesJson(renderedCountries, number, number + 1));
    const detail = `${decodeUtf8(renderedCountryDetail(renderedCountries, number).join(''))}}`;
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

/** Starts the program of the peer with so many workers. */
export async function startPeer({ connection, pid: database }, workerCount) {
  const program = join(import.meta.dirname, 'peer-server.mjs');
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, [program, connection.host, String(workerCount)], { env });
  const ended = once(child, 'exit');
  const { port } = JSON.parse(await firstLine(child));
  return {
    pid: child.pid,
    port,
    helpers: [database],
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** What makes two answers the same, for the endpoints whose answers may differ; of suggestions also what is shown first. */
const OWN_WAYS = {
  autocomplete: { '': (data) => data.map(({ url }) => url).sort(), ', first ': (data) => data[0]?.url },
  reverse: { '': ({ place }) => place.id },
};

/**
 * The targets of an endpoint that both answer with 200, and where there are some, the share of the answers that are the same,
 * as text. Throws where an answer differs that may not.
 */
export async function compareAnswers({ name, targets, peerTargetOf = (target) => target }, ours, peer) {
  const ownWays = OWN_WAYS[name.split(',')[0]];
  const answered = [];
  const pairs = [];
  for (const target of targets) {
    const [own, other] = await Promise.all([ask(ours, target), ask(peer, peerTargetOf(target))]);
    if (own.statusCode !== 200 || other.statusCode !== 200) continue;
    answered.push(target);
    pairs.push([own.data, other.data]);
    if (ownWays === undefined && !isDeepStrictEqual(own.data, other.data)) {
      throw new Error(`the answers to ${target} differ:\n${JSON.stringify(own.data)}\n${JSON.stringify(other.data)}`);
    }
  }
  if (answered.length === 0) return { targets: answered };
  const shares = Object.entries(ownWays ?? { '': (data) => data }).map(([title, keyOf]) => {
    const same = pairs.filter(([own, other]) => isDeepStrictEqual(keyOf(own), keyOf(other))).length;
    return `${title}${((100 * same) / pairs.length).toFixed(0)} %`;
  });
  return { targets: answered, same: shares.join('') };
}

/** The body of an answer, which in both servers has its status. On a connection of its own: a kept one may just be closed. */
async function ask({ port, key }, path) {
  const { body } = await request({ port, path, headers: { 'x-api-key': key }, agent: false });
  return JSON.parse(body.toString());
}
