/**
 * Every way to ask a snapshot, over one file and in one process: the API, a bulk request, Photon's protocol, the site, the
 * library, the commands, a table and a model's tools. Each gives its answer in the same few words.
 */

import request from 'supertest';
import { service } from '../../src/core/answers/service.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { open } from '../../src/library/index.js';
import { GOOD_KEY, startServer } from '../api/harness.js';
import { runEnrich } from '../cli/enrich/scene.js';
import { connectTo } from '../cli/mcp/mcp-scene.js';
import { runHere } from '../cli/running.js';
import { createSite, plainText, textOf } from '../site/site-scene.js';

/** What is known of a place; a surface leaves out what it does not tell. */
export interface Told {
  readonly match?: string;
  readonly country?: string | null;
  readonly code?: string | null;
  /** The name of the city; where there is no place, why. */
  readonly city: string;
}

/** Why there is no place. */
export const NOTHING = 'nothing';
export const NO_DATA = 'no data';

type Asker<Given extends readonly unknown[]> = (...given: Given) => Promise<Told>;
type Askers<Given extends readonly unknown[]> = Readonly<Record<string, Asker<Given>>>;

export interface Surfaces {
  readonly points: Askers<[lat: number, lng: number]>;
  readonly codes: Askers<[country: string, code: string]>;
  readonly lines: Askers<[line: string]>;
  close(): Promise<void>;
}

interface Place {
  readonly countryCode: string;
  readonly name: string;
  readonly postalCode: string | null;
  readonly city?: { readonly name: string } | null;
}

interface Match {
  readonly match: string;
  readonly countryCode: string | null;
  readonly postcode: string | null;
  readonly place: Place | null;
  readonly city: { readonly name: string } | null;
}

const cityOf = ({ city, name }: Place): string => city?.name ?? name;
const toldOf = (place: Place): Told => ({ country: place.countryCode, city: cityOf(place) });
const whyOf = (code: string): Told => ({ city: code === 'NO_POSTCODE_DATA' ? NO_DATA : NOTHING });

/** The city of an inferred code, as a sentence ends with it. */
function inferredIn(text: string): string | undefined {
  return /codes around it belong to (?:[^.]*, )?([^.,]+)\./.exec(text)?.[1];
}

function ofMatch({ match, countryCode: country, postcode: code, place, city }: Match): Told {
  return place === null ? { match, city: NOTHING } : { match, country, code, city: city?.name ?? place.name };
}

export async function openSurfaces(path: string): Promise<Surfaces> {
  const snapshot = openSnapshot(path);
  const [server, places, mcp] = await Promise.all([
    startServer(undefined, undefined, service, [], { photon: true }),
    open(path),
    connectTo(path),
  ]);
  server.snapshot = snapshot;
  const site = createSite(snapshot);

  const get = async (target: string, parameters: Readonly<Record<string, string | number>> = {}) => {
    const { body } = await request(server.server).get(target).query(parameters).set('x-api-key', GOOD_KEY);
    return body;
  };
  const bulk = async (lookup: object) => {
    const sent = request(server.server).post('/v1/bulk').set('x-api-key', GOOD_KEY);
    const { body } = await sent.send({ lookups: [lookup] });
    return body.data[0];
  };
  const photon = async (target: string, parameters: Readonly<Record<string, string | number>>): Promise<Told> => {
    const { features } = await get(target, parameters);
    const { countrycode, city, name } = features[0]?.properties ?? {};
    return features.length === 0 ? { city: NOTHING } : { country: countrycode, city: city ?? name };
  };
  const command = async (name: string, ...words: string[]): Promise<Told> => {
    const { code, out, error } = await runHere(name, '--snapshot', path, '--', ...words);
    if (code !== 0) return { city: inferredIn(error) ?? NOTHING };
    // Columns stand two spaces apart: country, code, name and city; the last of `match` is the match.
    const columns = (out.split('\n')[0] as string).split(/ {2,}/);
    const [country = '', , place = ''] = columns;
    const told = { country, city: place.split(', ').at(-1) as string };
    return name === 'match' ? { ...told, match: columns.at(-1) as string } : told;
  };
  const model = async (tool: string, given: object): Promise<Told> => {
    const { structuredContent, isError, content } = await mcp.call(tool, { ...given });
    const [place] = (structuredContent as { places?: (Omit<Place, 'city'> & { city: string | null })[] })?.places ?? [];
    if (isError === true || place === undefined) return { city: inferredIn(JSON.stringify(content)) ?? NOTHING };
    return { country: place.countryCode, city: place.city ?? place.name };
  };
  const table = async (cells: Readonly<Record<string, string | number>>, ...options: string[]): Promise<Told> => {
    const row = JSON.stringify(cells);
    const add = ['--add', 'city,country_code,postcode'];
    const { exitCode, out, errors } = await runEnrich(
      ['-', '--format', 'ndjson', '--snapshot', path, ...options, ...add],
      { stdin: `${row}\n` },
    );
    if (exitCode !== 0) throw new Error(errors);
    const { city, country_code: country, postcode: code, match } = JSON.parse(out);
    return match === 'none' ? { match, city: NOTHING } : { match, country, code, city };
  };
  const slugOf = (country: string): string => places.country(country)?.slug ?? country;

  return {
    points: {
      API: async (lat, lng) => {
        const { data, error } = await get('/v1/reverse', { lat, lng, include: 'city' });
        return error === undefined ? toldOf(data.place) : whyOf(error.code);
      },
      bulk: async (lat, lng) => {
        const { data, error } = await bulk({ lat, lng, include: 'city' });
        return error === undefined ? toldOf(data.place) : whyOf(error.code);
      },
      library: async (lat, lng) => {
        const found = places.reverse(lat, lng, { include: 'city' });
        return found === undefined ? { city: NOTHING } : toldOf(found.place as Place);
      },
      command: (lat, lng) => command('reverse', String(lat), String(lng)),
      table: (lat, lng) => table({ lat, lng }, '--reverse', 'lat,lng'),
      model: (lat, lng) => model('postal_reverse', { lat, lng }),
      Photon: (lat, lon) => photon('/reverse', { lat, lon }),
    },
    codes: {
      check: async (country, code) => {
        const { data } = await get(`/v1/countries/${country}/postcodes/${encodeURIComponent(code)}/check`);
        const { match, inferred } = data;
        const [suggestion] = await get('/v1/autocomplete', {
          q: code,
          country,
          include: 'place',
          kinds: 'postcode,place',
        }).then(({ data: list }) => list);
        return { match, city: inferred?.city ?? suggestion?.city?.name ?? suggestion?.name ?? NOTHING };
      },
      postcodes: async (country, code) => {
        const target = `/v1/countries/${country}/postcodes/${encodeURIComponent(code)}`;
        const { data, error } = await get(target, { include: 'city' });
        const inferred = error?.details?.[0]?.inferred;
        return error === undefined ? toldOf(data.places[0]) : { city: inferred?.city ?? NOTHING };
      },
      bulk: async (country, postcode) => {
        const { data, error } = await bulk({ country, postcode, include: 'city' });
        const inferred = error?.details?.[0]?.inferred;
        return error === undefined ? toldOf(data.places[0]) : { city: inferred?.city ?? NOTHING };
      },
      library: async (country, code) => {
        const found = places.postcode(country, code, { include: 'city' });
        const checked = places.check(country, code) as { match: string; inferred?: { city: string } } | undefined;
        const { match = 'none', inferred } = checked ?? {};
        if (found === undefined) return { match, city: inferred?.city ?? NOTHING };
        return { match, ...toldOf(found.places[0] as Place) };
      },
      command: (country, code) => command('lookup', country, code),
      table: (country, code) => table({ country, code }, '--country-column', 'country', '--postcode-column', 'code'),
      model: (country, postcode) => model('postal_lookup_code', { country, postcode }),
      Photon: (country, code) => photon('/api', { q: code, countrycode: country, limit: 1 }),
      page: async (country, code) => {
        const path = `/${slugOf(country)}/postcode/${encodeURIComponent(code)}`;
        const answer = await site.get(path);
        const { text } =
          answer.status >= 301 && answer.status <= 308 ? await site.get(answer.headers.location ?? '') : answer;
        const [, ofHeading] = textOf(text, 'h1').split(' · ');
        return { city: ofHeading ?? inferredIn(plainText(text)) ?? NOTHING };
      },
    },
    lines: {
      API: async (address) => ofMatch((await get('/v1/match', { address })).data),
      bulk: async (address) => ofMatch((await bulk({ address })).data),
      library: async (address) => ofMatch(places.match(address) as Match),
      command: (address) => command('match', address),
      table: (address) => table({ address }, '--text', 'address'),
      model: (address) => model('postal_match_address', { address }),
    },
    async close() {
      await Promise.all([server.close(), places.close(), mcp.close()]);
    },
  };
}
