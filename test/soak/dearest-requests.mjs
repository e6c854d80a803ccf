/**
 * `node test/soak/dearest-requests.mjs <snapshot> <seed> <requests>`: looks for the dearest request of each endpoint by
 * processor time, among so many random ones over the data of the snapshot: dense and empty places, limits, radiuses,
 * types, formats, languages, filters, odd texts. Prints as JSON, for each endpoint, the request that takes longest for
 * each unit of the rate that it counts as. It is answered as the server answers it, but for HTTP. A process of its own,
 * since code that has run over arrays that count their reads is compiled for these and slow.
 */
import { join, resolve } from 'node:path';
import { createRandom } from '../fixtures/random.mjs';

const ROOT = resolve(import.meta.dirname, '../../dist/src');
const load = (path) => import(join(ROOT, path));
const { openSnapshot } = await load('core/snapshot/snapshot.js');
const { inLanguages } = await load('core/snapshot/in-languages.js');
const { listNames } = await load('core/snapshot/name-index.js');
const { readPlace, readPointField } = await load('core/snapshot/place-fields.js');
const { indexedPostcode } = await load('core/snapshot/postcode-index.js');
const { bodyAround } = await load('core/answers/response-data.js');
const { service } = await load('core/answers/service.js');
const { bindAnswerFormats } = await load('api/description/answer-formats.js');
const { photonOperations } = await load('api/description/photon-operations.js');
const { findRateCost } = await load('api/description/rate-costs.js');
const { routes } = await load('api/description/routes.js');

/** Requests of each endpoint that are timed again at the end, the dearest of those timed once. */
const FINALISTS = 15;
/** Runs of each: other programs take the processor's caches away, and the compiler has work of its own. */
const FIRST_RUNS = 3;
const LAST_RUNS = 40;

const [file, seed, requestCount] = process.argv.slice(2);
const snapshot = openSnapshot(file);
const random = createRandom(Number(seed));
const below = (end) => Math.floor(random() * end);
const pick = (list) => list[below(list.length)];
const chance = (share) => random() < share;
const some = (most, make) => Array.from({ length: 1 + below(most) }, make);

const countries = snapshot.countries.filter(({ structures }) => structures !== undefined);
const populated = countries.flatMap((country) =>
  Array.from(country.structures.facts.populated, (place) => [country, place]),
);
const wordCounts = new Map();
for (const name of listNames(snapshot.worldNames)) {
  for (const word of name.split(' ')) wordCounts.set(word, (wordCounts.get(word) ?? 0) + 1);
}
const words = [...wordCounts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
const placeCounts = new Map();
for (const { structures } of countries) {
  const { codeCount, placeStarts } = structures.postcodes;
  for (let code = 0; code < codeCount; code++) {
    const text = indexedPostcode(structures.postcodes, code);
    const count = Math.min(100, placeStarts[code + 1] - placeStarts[code]);
    placeCounts.set(text, (placeCounts.get(text) ?? 0) + count);
  }
}
/** Those with the most places in all countries. */
const commonCodes = [...placeCounts]
  .sort((a, b) => b[1] - a[1])
  .slice(0, 300)
  .map(([code]) => code);

const codeOf = ({ entry }) => entry.code;
const anyPlace = () => {
  if (populated.length > 0 && chance(0.5)) return pick(populated);
  const country = pick(countries);
  return [country, below(country.structures.tree.placeCount)];
};
const idOf = ([{ structures }, place]) => readPlace(structures, place).id;
/** Near a place, or anywhere. */
const point = () => {
  if (chance(0.05)) return [random() * 180 - 90, random() * 360 - 180];
  const [{ structures }, place] = anyPlace();
  const { latitude, longitude } = readPointField(structures, place);
  const reach = pick([0, 0.01, 0.1, 1, 2]);
  return [latitude + (random() - 0.5) * reach, longitude + (random() - 0.5) * reach].map((degrees, axis) =>
    Math.max(-90 - 90 * axis, Math.min(90 + 90 * axis, degrees)).toFixed(5),
  );
};
const code = () => {
  if (chance(0.4)) return pick(commonCodes);
  const { structures, entry } = pick(countries);
  const text = indexedPostcode(structures.postcodes, below(structures.postcodes.codeCount));
  return pick([
    text,
    text.slice(0, 1 + below(text.length)),
    `${entry.code}-${text}`.slice(0, 20),
    text.replaceAll('0', 'O'),
  ]);
};
const word = () => {
  const whole = words[below(Math.min(words.length, pick([50, 500, 5_000, words.length])))];
  const cut = 1 + below(whole.length);
  return pick([
    whole,
    whole,
    whole.slice(0, cut),
    `${whole.slice(0, cut)}x${whole.slice(cut)}`,
    whole.replace(/[aou]/, 'ü'),
  ]);
};
const text = () => {
  const parts = some(8, () => (chance(0.25) ? code() : word()));
  return pick([parts.join(' '), parts.join(' '), 'ü'.repeat(50), 'a b c d e f g h', '日本'.repeat(20)])
    .slice(0, 100)
    .padEnd(2, 'a');
};

const given = (value) => pick([undefined, value]);
const lang = () => given(pick(['de', 'zh-TW,zh,en', 'ru,uk,be', 'ar']));
const include = () => given('codes,timezone,population,bounds');
const format = () => pick([undefined, 'geojson', 'csv']);
const onePlaceFormat = () => given('geojson');
const several = (make) => given([...new Set(some(10, make))].join());
const page = { pageSize: 100 };
const layers = ['house', 'street', 'locality', 'district', 'city', 'county', 'state', 'country', 'other'];
const tags = [
  'amenity',
  'place:city',
  ':town',
  ':village',
  ':suburb',
  '!place:village',
  ':!suburb',
  'place:municipality',
];
const filters = () => ({
  limit: pick([1, 10, 25, 50]),
  dedupe: given(0),
  lang: given(pick(['de', 'zh-TW'])),
  layer: given(some(3, () => pick(layers))),
  osm_tag: given(some(3, () => pick(tags))),
});
const favoured = (lngName) => {
  const [lat, lng] = chance(0.5) ? point() : [];
  return { lat, [lngName]: lng };
};

/** For each operation, what makes the parameters of a request, those of the path too. */
const makers = {
  listCountries: () => ({ hasPostcodes: given(true), lang: lang(), format: format() }),
  getCountry: () => ({ country: codeOf(pick(snapshot.countries)), lang: lang() }),
  listPlaces: () => ({
    country: codeOf(pick(countries)),
    level: given(1 + below(4)),
    page: pick([1, 2, 100]),
    ...page,
    lang: lang(),
    format: format(),
  }),
  getPlace: () => ofPlace(() => ({ include: include(), lang: lang(), format: onePlaceFormat() })),
  listChildren: () => ofPlace(() => ({ page: pick([1, 1, 2]), ...page, lang: lang(), format: format() })),
  resolvePath: () => {
    const [country, place] = anyPlace();
    const path = pick([
      readPlace(country.structures, place).path,
      `/${text()}/${text()}`,
      `/${'ü'.repeat(240)}`.repeat(4),
    ]);
    return { country: codeOf(country), path, include: include(), lang: lang(), format: onePlaceFormat() };
  },
  findPostcode: () => ({
    country: codeOf(pick(countries)),
    postcode: code(),
    include: include(),
    lang: lang(),
    format: format(),
  }),
  autocomplete: () => ({
    q: text(),
    ...favoured('lng'),
    country: several(() => codeOf(pick(countries))),
    limit: pick([1, 10, 25]),
    include: given('place'),
    kinds: given('place,postcode,country'),
    types: pick([undefined, undefined, 'region', 'recipient', 'locality']),
    lang: lang(),
    format: format(),
  }),
  reverse: () => {
    const [lat, lng] = point();
    return {
      lat,
      lng,
      country: given(pick(['any', codeOf(pick(countries))])),
      include: include(),
      lang: lang(),
      format: onePlaceFormat(),
    };
  },
  nearby: () => {
    const [lat, lng] = point();
    const place = anyPlace();
    const centre = pick([
      { lat, lng },
      { country: codeOf(place[0]), postcode: code() },
      { country: codeOf(place[0]), place: idOf(place) },
    ]);
    return {
      ...{ ...centre, radiusKm: pick([0, 1, 25, 200]), limit: pick([10, 50, 100]), by: given('postcode') },
      countries: several(() => codeOf(pick(countries))),
      ...{ types: given('locality,recipient'), include: include(), lang: lang(), format: format() },
    };
  },
  distance: () => {
    const end = () => {
      const place = anyPlace();
      return `${codeOf(place[0])}:${chance(0.5) ? idOf(place) : code()}`;
    };
    return { from: end(), to: end(), lang: lang() };
  },
  listPostcodes: () =>
    ofPlace(() => ({ recipients: given(true), full: given(true), page: pick([1, 2, 100]), ...page, format: format() })),
  checkPostcode: () => ({ country: codeOf(pick(countries)), postcode: code() }),
  findPostcodes: () => ({
    postcode: code(),
    country: several(() => codeOf(pick(countries))),
    include: include(),
    lang: lang(),
    format: format(),
  }),
  match: () => ({
    address: some(5, text).join('\n'),
    country: given(codeOf(pick(countries))),
    include: include(),
    lang: lang(),
    format: onePlaceFormat(),
  }),
  listChanges: () => ({ since: snapshot.release, ...page }),
  photonReverse: () => {
    const [lat, lon] = point();
    return { lat, lon, radius: given(pick([1, 20, 5_000])), ...filters() };
  },
  photonSearch: () => ({ q: text(), ...favoured('lon'), bbox: given('-180,-90,180,90'), ...filters() }),
  photonStructured: () => ({
    city: text().slice(0, 60),
    postcode: given(code()),
    state: given(word()),
    ...favoured('lon'),
    ...filters(),
  }),
};

/** Of a unit as often as of any place. */
function ofPlace(more) {
  const place = anyPlace();
  const unit = [place[0], below(Math.min(100, place[0].structures.tree.placeCount))];
  const [chosen] = chance(0.5) ? [place] : [unit];
  return { country: codeOf(chosen[0]), id: idOf(chosen), ...more() };
}

const answers = new Map([
  ...routes.map((route) => [route.id, { path: route.path, answer: bindAnswerFormats(route, service) }]),
  ...photonOperations.map(({ id, path, read }) => [id, { path, answer: (_, { query }) => answerPhoton(read, query) }]),
]);

function answerPhoton(read, query) {
  const { lang, answer } = read(query, []);
  return answer(lang === undefined || lang === '' ? snapshot : inLanguages(snapshot, lang));
}

/** The request for parameters: its URL, and what answers it. */
function requestOf(operation, parameters) {
  const { path: template, answer } = answers.get(operation);
  const path = {};
  const url = template.replaceAll(/:(\w+)/g, (_, name) => {
    path[name] = encodeURIComponent(parameters[name]);
    return path[name];
  });
  const pairs = Object.entries(parameters).filter(([name, value]) => value !== undefined && path[name] === undefined);
  const query = pairs
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}=${encodeURIComponent(one)}`))
    .join('&');
  return {
    url: query === '' ? url : `${url}?${query}`,
    rateCost: findRateCost(operation)?.(query) ?? 1,
    run() {
      try {
        return bodyAround('', answer(snapshot, { path, query }), '');
      } catch (error) {
        // What is not found is an answer too.
        if (error.name !== 'DomainError') throw error;
        return error.message;
      }
    },
  };
}

function bestMs(run, runCount) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < runCount; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

const found = Object.entries(makers).map(([operation, make]) => {
  let finalists = [];
  for (let request = 0; request < Number(requestCount); request++) {
    const one = requestOf(operation, make());
    const ms = bestMs(one.run, FIRST_RUNS) / one.rateCost;
    if (finalists.length === FINALISTS && ms <= finalists.at(-1).ms) continue;
    finalists = [...finalists, { ms, one }].sort((a, b) => b.ms - a.ms).slice(0, FINALISTS);
  }
  const timed = finalists.map(({ one }) => ({
    operation,
    url: one.url,
    rateCost: one.rateCost,
    ms: bestMs(one.run, LAST_RUNS),
  }));
  return timed.sort((a, b) => b.ms / b.rateCost - a.ms / a.rateCost)[0];
});
process.stdout.write(JSON.stringify(found));
