/** Requests to the site as hostile peers write them, from a seeded source, and what the site must answer. */

import { indexedPostcode } from '../../../dist/src/core/snapshot/postcode-index.js';
import { renderedPathOf } from '../../../dist/src/core/snapshot/rendered-places.js';
import { openSnapshot } from '../../../dist/src/core/snapshot/snapshot.js';
import { garbage, latin1, METHODS, NOISE, RARITIES } from './request-parts.mjs';

/** The first four have the slowest searches (worst-query.soak.ts). */
const TEXTS = [
  ...['nova und anüecy são', 'francisco a ür county nova', 'sna francisco', 'de la de la de la'],
  ...['san', 'york', '10115', '9490 vaduz', 'ü'.repeat(50), 'x'.repeat(100), '\0'],
];
const LONG_CHARACTERS = 8_000;

/**
 * As api-requests.mjs. All requests come from two networks, behind a proxy on loopback that is trusted: 48 bits of IPv6, in
 * which every request has 64 bits of its own, and the connection's own address.
 */
export function createRequests(random, { snapshot }) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const upTo = (count) => Math.floor(random() * count);
  const noise = () => Array.from({ length: 1 + upTo(4) }, () => pick(NOISE)).join('');
  const { id, countries } = openSnapshot(snapshot);
  const covered = countries.filter(({ structures }) => structures !== undefined);
  const files = covered.flatMap(({ entry: { code } }) => [`${code}-places-1`, `${code}-postcodes-1`]);
  const place = () => {
    const { entry, structures } = pick(covered);
    return `/${entry.slug}${renderedPathOf(structures.renderedPlaces, upTo(structures.tree.placeCount))}`;
  };
  const code = () => {
    const { entry, structures } = pick(covered);
    return `/${entry.slug}/postcode/${encodeURIComponent(indexedPostcode(structures.postcodes, upTo(structures.postcodes.codeCount)))}`;
  };
  const search = () => `/search?q=${encodeURIComponent(pick(TEXTS))}`;
  const targets = [
    ...[place, code, search, search],
    () => '/',
    () => `/${pick(covered).entry.slug}?page=${upTo(2_000)}`,
    () => `/suggest?q=${encodeURIComponent(pick(TEXTS))}`,
    () => `/nearest?lat=${random() * 180 - 90}&lng=${random() * 360 - 180}`,
    () => `/sitemaps/${pick(['site', ...files])}.xml.gz`,
    () => pick(['/sitemap.xml', '/robots.txt', '/coverage', '/favicon.ico', '/docs/openapi.json']),
    () => `/docs/reference?${noise()}=${random()}`,
    () => `/andorra?${'a'.repeat(upTo(LONG_CHARACTERS))}${random()}`,
    () => `/${pick(['docs', 'maps', 'assets', 'account', 'andorra'])}/%E0${noise()}/x`,
    () => `/maps/${id}/${pick(covered).entry.code}.svg`,
    () => `/nothing-${random()}/${'b'.repeat(upTo(LONG_CHARACTERS))}`,
    () => `/${noise()}`,
    () =>
      `http://other${random()}.example/${pick(['search', 'andorra', 'docs/openapi.json', 'sitemap.xml'])}?${noise()}`,
  ];
  const from = () =>
    random() < 0.5 ? `x-forwarded-for: 2001:db8:1:${upTo(65_536).toString(16)}::${upTo(65_536).toString(16)}\r\n` : '';

  return {
    next() {
      const method = pick(METHODS);
      const [rarity, endsConnection] = random() < 0.1 ? pick(RARITIES) : ['', false];
      const target = latin1(pick(targets)()).replaceAll(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character));
      const text = `${method} ${target} HTTP/1.1\r\nhost: a.example\r\n${from()}${rarity}\r\n`;
      return { text, isHead: method === 'HEAD', endsConnection };
    },
    tiny: () => ({ text: 'GET / HTTP/1.1\r\nhost:a\r\n\r\n', isHead: false, endsConnection: false }),
    /** The largest of all that is sent without a limit, some 90 kB. */
    large: () => ({ text: 'GET /docs/openapi.json HTTP/1.1\r\nhost:a\r\n\r\n' }),
    garbage: () => garbage(random),
    check: checkAnswer,
  };
}

/** Throws where an answer lacks the headers of every answer, or shows what is inside. */
function checkAnswer({ status, head, body }) {
  if (!/\r\nx-content-type-options: nosniff/i.test(head)) throw new Error(`no security headers: ${head}`);
  if (status === 503 && !/\r\nretry-after: \d+/i.test(head)) throw new Error(`a 503 that was not meant: ${head}`);
  if (/node_modules|\bat .*\.js:\d/.test(body)) throw new Error(`a stack: ${body.slice(0, 300)}`);
}
