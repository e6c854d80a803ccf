/**
 * What an error says of the parameters of a request: all faults at once, in the order of the route, unknown parameters
 * that look like a known one, and the country that was probably meant. The harness holds every body against the
 * description of the API.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/api/description/routes.js';
import { packageRoot } from '../../src/base/package-root.js';
import { service } from '../../src/core/answers/service.js';
import type { ParameterFault } from '../../src/core/lookup/domain-error.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { getRaw, PLACE_ID, startServer, type TestServer } from './harness.js';

let running: TestServer;
beforeAll(async () => {
  running = await startServer(undefined, undefined, service);
  running.snapshot = openSnapshot(await sharedStarterSnapshot());
});
afterAll(() => running?.close());

interface ErrorBody {
  readonly message: string;
  readonly code: string;
  readonly details?: readonly ParameterFault[];
}

async function errorOf(target: string): Promise<ErrorBody> {
  const { status, body } = await getRaw(running.port, target);
  expect([400, 404]).toContain(status);
  return JSON.parse(body).error;
}

async function detailsOf(target: string): Promise<readonly ParameterFault[]> {
  return (await errorOf(target)).details ?? [];
}

const paramsOf = (details: readonly ParameterFault[]): string[] => details.map(({ param }) => param);

const PAGES = '/v1/countries/DE/places';
/** A request with one fault, to which unknown parameters are added. */
const FAULTY = `${PAGES}?level=9`;
const LEVEL = {
  param: 'level',
  message: 'level must be an integer from 1 to 4; got "9"',
  expected: 'an integer from 1 to 4',
};

describe('all faults of a request', () => {
  test('are reported in the order of the route, beside the message and code of the first', async () => {
    const { status, body } = await getRaw(running.port, `${PAGES}?pageSize=101&page=0&level=9`);
    const { metadata, ...rest } = JSON.parse(body);
    expect(status).toBe(400);
    expect(rest).toEqual({
      statusCode: 400,
      error: {
        message: LEVEL.message,
        code: 'VALIDATION_FAILED',
        details: [
          LEVEL,
          {
            param: 'page',
            message: 'page must be an integer of 1 or more; got "0"',
            expected: 'an integer of 1 or more',
          },
          {
            param: 'pageSize',
            message: 'pageSize must be an integer from 1 to 100; got "101"',
            expected: 'an integer from 1 to 100',
          },
        ],
      },
    });
    expect(body.startsWith('{"statusCode":400,"error":{"message":"level must')).toBe(true);
    expect(body).toContain('"code":"VALIDATION_FAILED","details":[{"param":"level","message":');
    expect(metadata).toEqual({ correlationId: expect.any(String) });
  });

  test.each<[target: string, params: string[]]>([
    ['/v1/countries/D/places/1/children?page=x&pageSize=', ['country', 'id', 'page', 'pageSize']],
    ['/v1/reverse', ['lat', 'lng']],
    ['/v1/reverse?lat=1', ['lng']],
    ['/v1/reverse?country=1&lng=181&lat=91', ['lat', 'lng', 'country']],
    ['/v1/autocomplete?limit=0', ['q', 'limit']],
    ['/v1/distance', ['from', 'to']],
    ['/v1/distance?from=US:90210&to=1', ['to']],
    [`${PAGES}?level=1&level=2&page[]=1`, ['level', 'page']],
    ['/v1/nearby?lat=1&lng=2&types=x&by=x&countries=x&radiusKm=x', ['radiusKm', 'countries', 'types', 'by']],
  ])('%s', async (target, params) => {
    const { message, code, details = [] } = await errorOf(target);
    expect([code, paramsOf(details)]).toEqual(['VALIDATION_FAILED', params]);
    expect(message).toBe(details[0]?.message);
  });

  test('are those of the example in the documents', async () => {
    const text = readFileSync(join(packageRoot(), 'docs/errors-and-limits.md'), 'utf8');
    const [, target = '', json = ''] = /`(\/v1\S+)` is answered with\n\n```json\n(.*?)```/s.exec(text) ?? [];
    expect(await errorOf(target)).toEqual(JSON.parse(json).error);
  });

  test('a text is expected whole where the message has it in brief', async () => {
    expect(await detailsOf('/v1/autocomplete')).toEqual([
      { param: 'q', message: 'q is required (2 to 100 characters)', expected: 'text of 2 to 100 characters' },
    ]);
  });

  test('a rule of the use case is reported with those of parameters, behind them', async () => {
    const fault = {
      param: 'q',
      message: 'q must have a letter or a digit; got "***"',
      expected: 'text with a letter or a digit',
    };
    expect(await errorOf('/v1/autocomplete?q=***')).toEqual({
      message: fault.message,
      code: 'VALIDATION_FAILED',
      details: [fault],
    });
    const { message, details } = await errorOf('/v1/autocomplete?q=***&limit=0');
    expect([message, paramsOf(details ?? [])]).toEqual([
      'limit must be an integer from 1 to 25; got "0"',
      ['limit', 'q'],
    ]);
  });
});

describe('the centre of nearby', () => {
  const CENTRE = 'lat and lng, or country and postcode, or country and place, and nothing beside these';

  test.each<[query: string, sentences: string[]]>([
    ['', ['lat is required', 'lng is required']],
    ['lat=1', ['lng is required with lat']],
    ['lng=1', ['lat is required with lng']],
    ['country=DE', ['postcode is required with country']],
    ['postcode=10115', ['country is required with postcode']],
    [`place=${PLACE_ID}`, ['country is required with place']],
    ['lat=1&lng=1&country=DE', ['country is not allowed with lat and lng']],
    [
      'lat=1&lng=1&country=DE&postcode=10115',
      ['country is not allowed with lat and lng', 'postcode is not allowed with lat and lng'],
    ],
    ['lat=1&country=DE&postcode=10115', ['lat is not allowed with country and postcode']],
    [`country=DE&postcode=10115&place=${PLACE_ID}`, ['place is not allowed with country and postcode']],
    [`country=DE&place=${PLACE_ID}&lng=1`, ['lng is not allowed with country and place']],
  ])('%s', async (query, sentences) => {
    expect(await errorOf(`/v1/nearby?${query}`)).toEqual({
      message: `the centre must be ${CENTRE}`,
      code: 'VALIDATION_FAILED',
      details: sentences.map((message) => ({ param: message.split(' ')[0], message, expected: CENTRE })),
    });
  });

  test.each(['lat=1&lng=1', 'country=DE&postcode=10115'])('%s is one', async (query) => {
    expect((await getRaw(running.port, `/v1/nearby?${query}`)).status).toBe(200);
  });

  test('a wrong value counts as given, and what else is missing is told', async () => {
    expect((await detailsOf('/v1/nearby?lat=91&limit=0')).map(({ message }) => message.split(';')[0])).toEqual([
      'lat must be a decimal number from -90 to 90, such as -12.34 (no exponent, at most 32 characters)',
      'limit must be an integer from 1 to 100',
      'lng is required with lat',
    ]);
  });
});

describe('an unknown parameter', () => {
  const misspelt = (param: string, meant: string): ParameterFault => ({
    param,
    message: `${param} is not a parameter of this endpoint; did you mean ${meant}?`,
    expected: meant,
  });

  test.each<[target: string, sent: string, meant: string]>([
    [`${FAULTY}&pagesize=5`, 'pagesize', 'pageSize'],
    [`${FAULTY}&PAGESIZE=5`, 'PAGESIZE', 'pageSize'],
    [`${FAULTY}&page_size=5`, 'page_size', 'pageSize'],
    [`${FAULTY}&page-size=5`, 'page-size', 'pageSize'],
    [`${FAULTY}&pagesise`, 'pagesise', 'pageSize'],
    [`${FAULTY}&pagesiez=`, 'pagesiez', 'pageSize'],
    [`${FAULTY}&levels=1`, 'levels', 'level'],
    [`${FAULTY}&page%73ize=1`, 'pagesize', 'pageSize'],
    ['/v1/reverse?lat=1&lon=2', 'lon', 'lng'],
    ['/v1/reverse?longitude=2&lat=1', 'longitude', 'lng'],
    ['/v1/reverse?latitude=2&lng=1', 'latitude', 'lat'],
    ['/v1/reverse?lat=1&Country=DE', 'Country', 'country'],
    ['/v1/autocomplete?Q=berlin', 'Q', 'q'],
    ['/v1/autocomplete?query=berlin', 'query', 'q'],
    ['/v1/autocomplete?q=a&contry=DE', 'contry', 'country'],
    ['/v1/autocomplete?q=a&country_code=DE', 'country_code', 'country'],
    ['/v1/nearby?country=DE&zip=10115', 'zip', 'postcode'],
    ['/v1/nearby?lat=1&radius=5', 'radius', 'radiusKm'],
  ])('%s looks like a known one', async (target, sent, meant) => {
    expect((await detailsOf(target)).at(-1)).toEqual(misspelt(sent, meant));
  });

  test.each<[target: string, sent: string, meant: string]>([
    ['/v1/nearby?lat=1&lng=1&radius=5', 'radius', 'radiusKm'],
    [`${PAGES}?pageNumber=2`, 'pageNumber', 'page'],
    [`${PAGES}?pages=2`, 'pages', 'page'],
    [`${PAGES}?limit=2`, 'limit', 'pageSize'],
    ['/v1/autocomplete?q=berlin&limt=1', 'limt', 'limit'],
    ['/v1/autocomplete?q=berlin&count=1', 'count', 'limit'],
    ['/v1/autocomplete?q=berlin&pageSize=1', 'pageSize', 'limit'],
    ['/v1/autocomplete?q=berlin&countries=FR', 'countries', 'country'],
    ['/v1/autocomplete?q=berlin&cuontyr=FR', 'cuontyr', 'country'],
    ['/v1/autocomplete?q=berlin&incl=place', 'incl', 'include'],
    ['/v1/reverse?lat=1&lng=1&countries=FR', 'countries', 'country'],
    ['/v1/countries?haspostcode=true', 'haspostcode', 'hasPostcodes'],
  ])('%s is refused for it alone', async (target, sent, meant) => {
    const fault = misspelt(sent, meant);
    expect(await errorOf(target)).toEqual({ code: 'VALIDATION_FAILED', message: fault.message, details: [fault] });
  });

  test.each<[target: string, sent: string, taken: string]>([
    ['/v1/countries/DE?format=geojson', 'format', 'lang'],
    ['/v1/countries/DE/postcodes/10115/check?include=city', 'include', 'none'],
    ['/v1/distance?from=DE:10115&to=DE:10117&limit=1', 'limit', 'from, to, lang'],
    [`${PAGES}?path=/berlin`, 'path', 'level, page, pageSize, lang, format'],
  ])('%s has one of other endpoints', async (target, param, taken) => {
    const message = `${param} is a parameter of other endpoints; this one takes ${taken}`;
    const details = [{ param, message, expected: taken }];
    expect(await errorOf(target)).toEqual({ code: 'VALIDATION_FAILED', message, details });
  });

  test.each(routes.map(({ id, path, parameters }) => [id, path, parameters] as const))(
    '%s refuses those of all other routes, but for lang and names of two letters',
    async (_, path, parameters) => {
      const own = new Set(parameters.map(({ name }) => name));
      const others = new Set(
        routes.flatMap(({ parameters: all }) => all.filter(({ source }) => source === 'query').map(({ name }) => name)),
      );
      const target = path.replace(':country', 'DE').replace(':id', PLACE_ID).replace(':postcode', '10115');
      for (const name of others) {
        if (own.has(name)) continue;
        const isForeign = name === 'lang' || name.length <= 2;
        const { status, body } = await getRaw(running.port, `${target}?${name}=1`);
        const named: string[] = paramsOf(JSON.parse(body).error?.details ?? []);
        expect([name, named.includes(name)]).toEqual([name, !isForeign]);
        if (!isForeign) expect(status).toBe(400);
      }
    },
  );

  test('of a foreign name changes nothing', async () => {
    const names =
      'utm_source utm_medium fbclid gclid _ _ga foo bar cb callback jsonp v ver t ts r rnd key ref by q to s id';
    const foreign = `${names} token time source session debug nocache sig api_key p l n x y z`;
    const targets = ['/v1/reverse?lat=52.53&lng=13.38', '/v1/nearby?lat=52.53&lng=13.38', `${PAGES}?level=1`];
    for (const target of [...targets, '/v1/autocomplete?q=berlin', '/v1/countries/DE/postcodes/10115']) {
      const own = target.slice(target.indexOf('?'));
      const plain = await getRaw(running.port, target);
      expect(plain.status).toBe(200);
      for (const name of foreign.split(' ')) {
        if (own.includes(`${name}=`) || (name === 'by' && target.includes('nearby'))) continue;
        const { status, body } = await getRaw(
          running.port,
          `${target}${own.length > 1 && target.includes('?') ? '&' : '?'}${name}=1`,
        );
        expect([name, status, JSON.parse(body).data]).toEqual([name, 200, JSON.parse(plain.body).data]);
      }
    }
  });

  test.each([
    ...['lang=de', 'size=5', 'sort=name', 'key=1', 'format=json', 'callback=f', 'country=DE', 'q=a', 'by=1'],
    ...['pagesizes[]=1', 'pagesi%00ze=1', 'pagesi%FFze=1', 'p%C3%A4geSize=1', '=1', '&&', '[]=1', '%zz=1'],
    ...['__proto__=1', 'constructor=1', 'toString=1', 'hasOwnProperty=1', 'level[__proto__]=1&x=1'],
    `${'pagesize'.repeat(20)}=1`,
  ])('%s is another one', async (unknown) => {
    const { message, details } = await errorOf(`${PAGES}?page=0&${unknown}`);
    const own = unknown.startsWith('level') ? ['level', 'page'] : ['page'];
    expect(paramsOf(details ?? [])).toEqual(own);
    expect(message).toBe(details?.[0]?.message);
  });

  test.each(routes.map(({ id, parameters }) => [id, parameters] as const))(
    'of %s none looks like another that the route has',
    async (id, parameters) => {
      const names = parameters.flatMap(({ name, source }) => (source === 'query' ? [name] : []));
      const path = routes.find((route) => route.id === id)?.path ?? '';
      const target = path.replace(':country', 'D').replace(':id', '1').replace(':postcode', '%20');
      const wrong = names.map((name) => `${name}=`).join('&');
      const { status, body } = await getRaw(running.port, `${target}?${wrong}`);
      if (status === 200) expect(names).toEqual([]);
      else for (const { message } of JSON.parse(body).error.details) expect(message).not.toContain('did you mean');
    },
  );

  test('is told before anything is looked up, with the country that does not exist', async () => {
    expect(paramsOf(await detailsOf('/v1/countries/QQ/places?pagesize=1'))).toEqual(['country', 'pagesize']);
    expect((await errorOf('/v1/countries/QQ/places?pagesize=1')).message).toMatch(/^pagesize is not/);
  });

  test('is told behind what the rule of the endpoint refuses', async () => {
    const { message, details = [] } = await errorOf('/v1/nearby?lat=1&lon=2');
    expect([message, paramsOf(details)]).toEqual(['lng is required with lat', ['lng', 'lon']]);
  });

  test('is told once, ten at most, in the order sent', async () => {
    const spellings = [...'pagesize']
      .map((letter, at, letters) => letters.with(at, letter.toUpperCase()).join(''))
      .filter((name) => name !== 'pageSize');
    const repeated = [...spellings, ...spellings].map((name) => `${name}=1`).join('&');
    expect(paramsOf(await detailsOf(`${FAULTY}&${repeated}`))).toEqual(['level', ...spellings]);
    const many = Array.from({ length: 100 }, (_, at) => `page${'_'.repeat(at % 20)}size${'-'.repeat(at % 7)}=1`);
    expect(await detailsOf(`${FAULTY}&${many.join('&')}`)).toHaveLength(11);
  });

  test('is not looked for beyond a hundred, of any length', async () => {
    const others = Array.from({ length: 100 }, (_, at) => `x${at}=1`).join('&');
    expect(await detailsOf(`${FAULTY}&${others}&pagesize=1`)).toEqual([LEVEL]);
    expect(await detailsOf(`${FAULTY}&${'pagesize'.repeat(800)}=1`)).toEqual([LEVEL]);
    expect(await detailsOf(`${FAULTY}${'&'.repeat(4_000)}pagesize=1`)).toEqual([LEVEL]);
    expect(await detailsOf(`${FAULTY}&${'%70'.repeat(2_000)}=1`)).toEqual([LEVEL]);
  });
});

describe('a country that is not called so', () => {
  const RULE = 'a two-letter ISO 3166-1 alpha-2 country code';

  test.each<[code: string, meant: string]>([
    ['UK', 'GB'],
    ['uk', 'GB'],
    ['EL', 'GR'],
    ['BU', 'MM'],
    ['TP', 'TL'],
    ['ZR', 'CD'],
    ['AC', 'SH'],
    ['FX', 'FR'],
  ])('%s is not found, and may be %s', async (code, meant) => {
    const message = `There is no country with the code ${code.toUpperCase()}; did you mean ${meant}?`;
    const error = { message, code: 'COUNTRY_NOT_FOUND', details: [{ param: 'country', message, expected: RULE }] };
    expect(await errorOf(`/v1/countries/${code}`)).toEqual(error);
    expect(await errorOf(`/v1/autocomplete?q=berlin&country=${code}`)).toEqual(error);
    expect(await errorOf(`/v1/reverse?lat=1&lng=1&country=${code}`)).toEqual(error);
    expect(await errorOf(`/v1/countries/${code}/postcodes/1/check`)).toEqual(error);
  });

  test.each([
    ['/v1/nearby?lat=1&lng=1&countries=DE,UK', 'countries'],
    ['/v1/nearby?country=UK&postcode=SW1A', 'country'],
    ['/v1/distance?from=UK:SW1A&to=DE:10115', 'from'],
    [`/v1/distance?from=DE:10115&to=UK:${PLACE_ID}`, 'to'],
  ])('%s names the parameter %s', async (target, param) => {
    const { code, details } = await errorOf(target);
    expect([code, paramsOf(details ?? [])]).toEqual(['COUNTRY_NOT_FOUND', [param]]);
  });

  test.each<[target: string, params: string[], first: string]>([
    ['/v1/countries/UK/places?page=0', ['country', 'page'], 'page must be'],
    ['/v1/reverse?lat=91&lng=abc&country=UK', ['lat', 'lng', 'country'], 'lat must be'],
    ['/v1/autocomplete?q=!!&country=UK', ['country', 'q'], 'q must have'],
    ['/v1/autocomplete?q=b&country=DE,UK', ['q', 'country'], 'q must be'],
    ['/v1/nearby?lat=91&lng=1&countries=uk', ['lat', 'countries'], 'lat must be'],
    ['/v1/distance?from=UK:SW1A&to=1', ['from', 'to'], 'to must be'],
  ])('%s: it is told with the other faults', async (target, params, first) => {
    const { code, message, details = [] } = await errorOf(target);
    expect([code, message.slice(0, first.length), paramsOf(details)]).toEqual(['VALIDATION_FAILED', first, params]);
    const texts = details.map((fault) => fault.message);
    expect(texts).toContain('There is no country with the code UK; did you mean GB?');
  });

  test.each<[target: string, params: string[]]>([
    ['/v1/reverse?lat=91&lng=1&country=any', ['lat']],
    ['/v1/reverse?lat=91&lng=1&country=de', ['lat']],
    ['/v1/reverse?lat=91&lng=1&country=JP', ['lat']],
    ['/v1/reverse?lat=91&lng=1&country=QQ', ['lat', 'country']],
    ['/v1/countries/DE/places?page=0', ['page']],
  ])('%s has the faults of %j', async (target, params) => {
    expect(paramsOf(await detailsOf(target))).toEqual(params);
  });

  // Of several successors none was meant: AN, CS, NT, SU, YU.
  test.each(['QQ', 'AN', 'CS', 'NT', 'SU', 'YU', 'XX', 'EU', 'EN'])('%s may be any: no hint', async (code) => {
    expect(await errorOf(`/v1/countries/${code}`)).toEqual({
      message: `There is no country with the code ${code}.`,
      code: 'COUNTRY_NOT_FOUND',
    });
  });

  test.each<[typed: string, meant: string]>([
    ['DEU', 'DE'],
    ['deu', 'DE'],
    ['JPN', 'JP'],
    ['XKX', 'XK'],
    ['USA', 'US'],
    ['Germany', 'DE'],
    ['deutschland', 'DE'],
    ['United%20Kingdom', 'GB'],
    ['Great%20Britain', 'GB'],
    ['England', 'GB'],
    ['northern%20IRELAND', 'GB'],
    ['Japan', 'JP'],
    ['%C3%96sterreich', 'AT'],
    ['%20de', 'DE'],
    ['DE%20', 'DE'],
  ])('%s is no code, and may be %s', async (typed, meant) => {
    const errorWith = (expected: string) => {
      const message = `country must be ${expected}; got ${JSON.stringify(decodeURIComponent(typed))}; did you mean ${meant}?`;
      return { message, code: 'VALIDATION_FAILED', details: [{ param: 'country', message, expected }] };
    };
    expect(await errorOf(`/v1/countries/${typed}`)).toEqual(errorWith(RULE));
    const several = `${RULE}, or up to 10 separated by commas`;
    expect(await errorOf(`/v1/autocomplete?q=berlin&country=${typed}`)).toEqual(errorWith(several));
  });

  test.each([
    ...['ZZZ', 'Atlantis', 'Berlin', 'D', '276', '', 'DEU%00', '%FF', 'DE,', 'de-DE'],
    ...['__proto__', 'constructor', 'toString', 'germany'.repeat(100), '%F0%9F%87%A9%F0%9F%87%AA'],
  ])('%s may be any: no hint', async (typed) => {
    const { code, details = [] } = await errorOf(`/v1/autocomplete?q=berlin&country=${typed}`);
    expect([code, paramsOf(details)]).toEqual(['VALIDATION_FAILED', ['country']]);
    expect(details[0]?.message).not.toContain('did you mean');
  });

  test.each<[target: string, meant: string]>([
    ['/v1/reverse?lat=1&lng=1&country=DEU', 'DE'],
    ['/v1/nearby?lat=1&lng=1&countries=DEU', 'DE'],
    ['/v1/nearby?lat=1&lng=1&countries=AT,DEU,Germany', 'AT,DE'],
    ['/v1/nearby?lat=1&lng=1&countries=UK,at,DEU', 'GB,AT,DE'],
    ['/v1/autocomplete?q=berlin&country=UK,ZZ,DEU', 'GB,ZZ,DE'],
    ['/v1/nearby?country=DEU&postcode=10115', 'DE'],
    ['/v1/distance?to=DE:10115&from=USA:90210', 'US:90210'],
    ['/v1/distance?from=DE:10115&to=France:75001', 'FR:75001'],
  ])('%s: the whole value is corrected', async (target, meant) => {
    const { code, message } = await errorOf(target);
    expect([code, message.slice(message.indexOf('did you'))]).toEqual(['VALIDATION_FAILED', `did you mean ${meant}?`]);
  });

  test.each([
    '/v1/nearby?lat=1&lng=1&countries=DEU,ZZZ',
    `/v1/nearby?lat=1&lng=1&countries=DEU${',FR'.repeat(10)}`,
    '/v1/nearby?lat=1&lng=1&countries=,',
    '/v1/nearby?lat=1&lng=1&types=Locality',
    '/v1/distance?to=DE:10115&from=USA:',
    '/v1/distance?to=DE:10115&from=USA',
    `/v1/distance?to=DE:10115&from=USA:${'1'.repeat(21)}`,
    '/v1/distance?to=DE:10115&from=ZZZ:1',
  ])('%s cannot be corrected', async (target) => {
    const { code, message } = await errorOf(target);
    expect([code, message.includes('did you mean')]).toEqual(['VALIDATION_FAILED', false]);
  });
});

describe('an error about no parameter has no details', () => {
  test.each([
    [
      '/v1/countries/DE/postcodes/99999',
      '{"message":"No place in DE uses the postcode \\"99999\\".","code":"POSTCODE_NOT_FOUND"}',
    ],
    ['/v1/countries/JP/places', '{"message":"There is no postcode data for Japan (JP).","code":"NO_POSTCODE_DATA"}'],
    ['/v1/countries/QQ', '{"message":"There is no country with the code QQ.","code":"COUNTRY_NOT_FOUND"}'],
    ['/v1/nowhere', '{"message":"No endpoint has this path.","code":"ROUTE_NOT_FOUND"}'],
  ])('%s', async (target, error) => {
    expect((await getRaw(running.port, target)).body).toContain(`"error":${error},"metadata":`);
  });

  test('nor has one about the key, whatever the parameters', async () => {
    const { body } = await getRaw(running.port, '/v1/countries/DEU?pagesize=1', '');
    expect(Object.keys(JSON.parse(body).error)).toEqual(['message', 'code']);
  });
});
