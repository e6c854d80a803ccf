/** Requests to the API as hostile peers write them, from a seeded source, and what the API must answer. */
import { createApiKey } from '../../../dist/src/keys/key/api-key.js';
import { garbage, latin1, METHODS, NOISE, RARITIES } from './request-parts.mjs';

const TEXTS = ['nova und anüecy são', 'francisco a ür county nova', 'san', 'ü'.repeat(50), 'x'.repeat(100), '€€', '\0'];
const CODES = ['US', 'CA', 'LI', 'DE', 'xx', 'USA', '%55S', 'is'];
const LAYERS = ['city', 'state', 'house', 'suburb', ''];
const LONG_CHARACTERS = 12_000;

/**
 * A maker of requests: `{ text, isHead, endsConnection }`. `text` holds the bytes as latin1. `random` gives numbers from 0
 * up to 1; `freeKeys` are sent at times, and `unlimitedKey` with the request that has the largest answer.
 */
export function createRequests(random, { unlimitedKey, freeKeys }) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const chance = (share) => random() < share;
  const number = () => pick(['0', '1', '-1', '50', '101', '1e9', 'NaN', '90.0001', `${random() * 400 - 200}`]);
  const noise = () => Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(NOISE)).join('');

  const targets = [
    () => '/',
    () => '/v1/countries',
    () => `/v1/countries?hasPostcodes=${pick(['true', 'false', 'maybe', ''])}`,
    () => `/v1/countries/${pick(CODES)}`,
    () => `/v1/countries/${pick(CODES)}/places?level=${number()}&page=${number()}&pageSize=${number()}`,
    () => `/v1/countries/${pick(CODES)}/places/2ed4ba59-ae93-5353-9396-7dcfa5674641`,
    () => `/v1/countries/${pick(CODES)}/places/${noise()}/children`,
    () => `/v1/countries/${pick(CODES)}/resolve?path=${pick(['/', '/a/b/c/d', `/${noise()}`, '/vaduz'])}`,
    () => `/v1/countries/${pick(CODES)}/postcodes/${pick(['9490', '12345', noise(), '%20', 'x'.repeat(30)])}`,
    () => `/v1/autocomplete?q=${encodeURIComponent(pick(TEXTS))}&limit=${number()}`,
    () => `/v1/match?address=${encodeURIComponent(`${pick(TEXTS)} 1010\n${noise()} 10115`)}&country=${pick(CODES)}`,
    () => `/v1/reverse?lat=${number()}&lng=${number()}`,
    () => `/reverse?lat=${number()}&lon=${number()}&radius=${number()}&limit=${number()}&layer=${pick(LAYERS)}`,
    () =>
      `/reverse?lat=${38 + random()}&lon=${random() - 9.5}&radius=5000&limit=50&layer=${pick(LAYERS)}&osm_tag=:town`,
    () => `/v1/nearby?lat=${47 + random()}&lng=${8 + random()}&radiusKm=200&limit=100&format=geojson&include=bounds`,
    () => `/api/?q=${encodeURIComponent(pick(TEXTS))}&bbox=${number()},1,2,3&osm_tag=${noise()}&lang=${pick(CODES)}`,
    () => `/structured?city=${encodeURIComponent(pick(TEXTS))}&countrycode=${pick(CODES)}&limit=${number()}`,
    () => `/status${pick(['', '/', `?${noise()}`])}`,
    () => `/${'a'.repeat(Math.floor(random() * LONG_CHARACTERS))}`,
    () => `/${noise()}`,
    () => `http://other.example/v1/countries?${noise()}`,
  ];
  /** Of networks that need no key (KEYLESS), which nobody here is in, however it is written. */
  const forwarded = () => {
    const address = pick([
      '10.0.0.1',
      '::ffff:10.0.0.1',
      '[::ffff:a00:1]:80',
      '10.0.0.1:4711',
      'fd00::1',
      '012.0.0.1',
      noise(),
    ]);
    return `${pick(['x-forwarded-for', 'forwarded', 'x-real-ip'])}: ${pick(['', 'for=', '203.0.113.5, '])}${address}\r\n`;
  };
  const keys = [
    () => '',
    () => '',
    () => `x-api-key: ${createApiKey()}\r\n`,
    () => `x-api-key: ${createApiKey()}\r\n`,
    () => `x-api-key: ${noise()}\r\n`,
    () => `x-api-key: ${pick(freeKeys)}\r\n`,
    () => `x-api-key: ${'k'.repeat(Math.floor(random() * LONG_CHARACTERS))}\r\n`,
  ];
  return {
    /** A well-formed request. */
    next() {
      const method = pick(METHODS);
      const [rarity, endsConnection] = chance(0.1) ? pick(RARITIES) : ['', false];
      const target = latin1(pick(targets)()).replaceAll(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character));
      const headers = latin1(pick(keys)() + (chance(0.3) ? forwarded() : ''));
      const text = `${method} ${target} HTTP/1.1\r\nhost: a.example\r\n${headers}${rarity}\r\n`;
      return { text, isHead: method === 'HEAD', endsConnection };
    },
    /** The shortest of all, of which a packet holds 2,500. */
    tiny: () => ({ text: 'GET / HTTP/1.1\r\nhost:a\r\n\r\n', isHead: false, endsConnection: false }),
    /** The request with the largest answer, 53 kB. */
    large: () => ({ text: `GET /v1/countries HTTP/1.1\r\nhost:a\r\nx-api-key: ${unlimitedKey}\r\n\r\n` }),
    garbage: () => garbage(random),
    check: checkEnvelope,
  };
}

/** Throws where an answer is neither in the API's envelope nor in Photon's form. */
function checkEnvelope({ status, head, body }) {
  if (!/\r\nx-correlation-id: [\da-f-]{36}/i.test(head)) throw new Error(`no correlation id: ${head}`);
  if (body === '') return;
  const { statusCode, metadata, data, error, ...photon } = JSON.parse(Buffer.from(body, 'latin1').toString('utf8'));
  const isPhoton =
    status === 200 ? photon.type === 'FeatureCollection' || photon.status === 'Ok' : typeof photon.message === 'string';
  if (isPhoton && statusCode === undefined) return;
  const isWhole = status === 200 ? data !== undefined : typeof error?.code === 'string';
  if (statusCode !== status || typeof metadata?.correlationId !== 'string' || !isWhole) {
    throw new Error(`not in the envelope: ${body.slice(0, 300)}`);
  }
}
