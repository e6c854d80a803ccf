/**
 * What the description says of the API as a whole: what it is, how to ask it, its limits, whom to credit. The limits are
 * those of the code.
 */

import { DEFAULT_PLANS, FREE_PLAN } from '../keys/plan.js';
import { packageVersion } from '../platform/package-root.js';
import { MAX_HEADER_BYTES, MAX_URL_CHARACTERS } from '../server/guarded-server.js';
import { MAX_POSTCODE_PLACES } from '../service/find-postcode.js';
import { REVERSE_RADIUS_KM } from '../service/reverse.js';
import { MAX_PAGE_SIZE, MAX_SUGGESTIONS } from './answer-schemas.js';

/** How long a client may keep a response, seconds: releases come weeks apart. */
export const CACHE_SECONDS = 3600;

const count = (value: number): string => value.toLocaleString('en-US');

export function describeService() {
  return {
    info: {
      title: 'Postal Places API',
      summary: 'The postal codes and administrative places of the world, read-only.',
      version: packageVersion(),
      description: [ASKING, limits(), CACHING, VERSIONS, CREDIT].join('\n\n'),
      license: { name: 'Creative Commons Attribution 4.0 International (the data)', identifier: 'CC-BY-4.0' },
      'x-attribution': 'Place data © GeoNames (https://www.geonames.org), CC BY 4.0',
    },
    tags: [
      { name: 'Places', description: 'Countries, places and postal codes. Each request needs a key.' },
      { name: 'Description', description: 'What this service is, and how to ask it. No key, no quota.' },
    ],
  };
}

const ASKING = `Every request is a GET (or HEAD, which is answered alike but for the body) with the API key in the header
\`x-api-key\`. Every success is \`{"statusCode": 200, "data": …, "metadata": {"correlationId": "…"}}\`, every error
\`{"statusCode": 404, "error": {"message": "…", "code": "PLACE_NOT_FOUND"}, "metadata": {…}}\` with that HTTP status.
Branch on \`error.code\`, never on the message; codes and fields may be added.

Parameters are percent-encoded as UTF-8 and given once. An integer is digits alone. Any other number is digits, with a
minus before them where it is below zero, and at most one point, which has digits on both sides: \`-12.34\`, no exponent
and no plus sign. Leading zeros change nothing. A parameter that is sent empty is a wrong one, unknown parameters are
passed over. The key is checked before the parameters. A path that is none of these is answered with
\`RouteNotFound\`, a method other than GET, HEAD and OPTIONS with \`MethodNotAllowed\`, and OPTIONS with \`Preflight\`,
which stand among the answers that calls share (\`components.responses\` of the description); none of them needs a key
or costs quota.`;

function limits(): string {
  const { requestsPerMonth, rate } = DEFAULT_PLANS.get(FREE_PLAN) ?? {};
  if (!requestsPerMonth || !rate) throw new Error('the free plan has no limits to describe');
  const rows: readonly (readonly [limit: string, value: string])[] = [
    [
      'Quota',
      `${count(requestsPerMonth)} requests in a calendar month (UTC) on the free plan, unless the operator says otherwise`,
    ],
    ['Rate', `${count(rate.requestsPerSecond)} requests a second on the free plan, ${count(rate.burst)} at once`],
    ['URL', `${count(MAX_URL_CHARACTERS)} characters`],
    ['URL and headers together', `${count(MAX_HEADER_BYTES)} bytes`],
    ['Places on a page', `${MAX_PAGE_SIZE}`],
    ['Places of a postal code', `${MAX_POSTCODE_PLACES}`],
    ['Suggestions', `${MAX_SUGGESTIONS}`],
    ['Radius of the search for the nearest place', `${REVERSE_RADIUS_KM} km`],
  ];
  const table = rows.map(([limit, value]) => `| ${limit} | ${value} |`).join('\n');
  return `## Limits

| Limit | Value |
|---|---|
${table}

Every answer to a good key tells what its plan allows and what is left, in \`RateLimit-Policy\` and \`RateLimit\`, and
counts once: 200, 304, 400 and 404 alike. A 429 costs nothing and has \`Retry-After\`.`;
}

const CACHING = `## Caching

Answers may be cached for ${CACHE_SECONDS / 60} minutes. \`ETag\` stays the same as long as the data do: send it as \`If-None-Match\`, and the
answer is 304 without a body where nothing has changed.`;

const VERSIONS = `## Versions

The version stands in the path: \`/v1\`. Data change with each release of the dataset, which \`x-dataset-release\` names.`;

const CREDIT = `## Attribution

The place data come from [GeoNames](https://www.geonames.org/) under
[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/): credit GeoNames, and link to the page of a place or country
(\`url\`), where you show the data.`;
