/**
 * The `info` and `tags` of the OpenAPI document: what the API is, how to call it, its limits, whom to credit. The limits
 * come from the constants that the code enforces.
 */

import { packageVersion } from '../../base/package-root.js';
import { MAX_POSTCODE_PLACES } from '../../core/answers/postcodes.js';
import { REVERSE_RADIUS_KM } from '../../core/lookup/reverse.js';
import { DEFAULT_PLANS, FREE_PLAN } from '../../keys/key/plan.js';
import { MAX_HEADER_BYTES } from '../../server/guarded-server.js';
import { MAX_URL_CHARACTERS } from '../../server/refusals.js';
import { MAX_BULK_BYTES, MAX_LOOKUPS } from '../description/bulk-operation.js';
import { MAX_PAGE_SIZE, MAX_SUGGESTIONS } from '../description/field-schemas.js';
import { CACHE_SECONDS } from './render-response.js';

const count = (value: number): string => value.toLocaleString('en-US');

export function apiInfo() {
  return {
    info: {
      title: 'Postal Places API',
      summary: 'The postal codes and administrative places of the world, read-only.',
      version: packageVersion(),
      description: [REQUESTS, limits(), CACHING, VERSIONS, CREDIT].join('\n\n'),
      license: { name: 'Creative Commons Attribution 4.0 International (the data)', identifier: 'CC-BY-4.0' },
      'x-attribution': 'Place data © GeoNames (https://www.geonames.org), CC BY 4.0',
    },
    tags: [
      { name: 'Places', description: 'Countries, places and postal codes. Each request needs a key.' },
      { name: 'Photon', description: "Photon's protocol, where the operator turned it on with `PHOTON=on`." },
      { name: 'Description', description: 'What this service is, and how to call it. No key, no quota.' },
    ],
  };
}

const REQUESTS = `Every request but the bulk request, a POST, is a GET (or a HEAD, whose answer lacks the body), each with the API key in
the header \`x-api-key\`. A publishable key (\`pp_pub_…\`), which may stand in the source of a web page, may come as the
query parameter \`key\` instead; it is good for the web pages of its origins, for its operations, and for so many requests of
each visitor as it allows.
Every success is \`{"statusCode": 200, "data": …, "metadata": {"correlationId": "…"}}\`, and every error
\`{"statusCode": 404, "error": {"message": "…", "code": "PLACE_NOT_FOUND"}, "metadata": {…}}\` with that HTTP status.
Branch on \`error.code\`, never on the message; codes and fields may be added. \`error.details\` lists all faulty parameters
of a \`VALIDATION_FAILED\` (schema \`ParameterFault\`).

Percent-encode parameters as UTF-8, and send each once. An integer has only digits. A decimal number has digits, a minus sign
where it is negative, and at most one point with digits on both sides: \`-12.34\`. There are no exponents and no plus signs;
leading zeros change nothing. An empty parameter is an error, and so is one whose name looks like a parameter of the endpoint or is
one of other endpoints; any other unknown one is ignored. The key is checked before the parameters.

An unknown path is answered with \`RouteNotFound\`, a method that the path does not answer with \`MethodNotAllowed\`, and
OPTIONS with \`Preflight\`: see the common responses (\`components.responses\` of the description). None of them needs a key
or counts against the quota.`;

function limits(): string {
  const { requestsPerMonth, rate } = DEFAULT_PLANS.get(FREE_PLAN) ?? {};
  if (!requestsPerMonth || !rate) throw new Error('the free plan has no limits to describe');
  const rows: readonly (readonly [limit: string, value: string])[] = [
    [
      'Quota',
      `${count(requestsPerMonth)} requests in a calendar month (UTC) on the free plan, unless the operator sets another limit`,
    ],
    ['Rate', `${count(rate.requestsPerSecond)} requests a second on the free plan, ${count(rate.burst)} at once`],
    ['URL', `${count(MAX_URL_CHARACTERS)} characters`],
    ['URL and headers together', `${count(MAX_HEADER_BYTES)} bytes`],
    ['Places on a page', `${MAX_PAGE_SIZE}`],
    ['Places of a postal code', `${MAX_POSTCODE_PLACES}`],
    ['Suggestions', `${MAX_SUGGESTIONS}`],
    ['Lookups of a bulk request', `${count(MAX_LOOKUPS)}, and no more than the plan allows at once`],
    ['Body of a bulk request', `${count(MAX_BULK_BYTES)} bytes`],
    ['Radius of the search for the nearest place', `${REVERSE_RADIUS_KM} km`],
  ];
  const table = rows.map(([limit, value]) => `| ${limit} | ${value} |`).join('\n');
  return `## Limits

| Limit | Value |
|---|---|
${table}

Every answer to a good key states the limits of its plan and what is left of them, in \`RateLimit-Policy\` and \`RateLimit\`, and
counts once, whether 200, 304, 400 or 404; a bulk request counts once for each lookup. A 429 does not count and has
\`Retry-After\`.`;
}

const CACHING = `## Caching

Answers may be cached for ${CACHE_SECONDS / 60} minutes. \`ETag\` stays the same as long as the data: send it as
\`If-None-Match\`, and the answer is 304 without a body if nothing has changed.`;

const VERSIONS = `## Versions

The version is part of the path: \`/v1\`. The data changes with each release of the dataset, which \`x-dataset-release\` names.`;

const CREDIT = `## Attribution

The place data comes from [GeoNames](https://www.geonames.org/) under
[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/): credit GeoNames, and link to the page of a place or country
(\`url\`), where you show the data. Where \`/v1/release\` has \`sources\`, show the \`attribution\` of each.`;
