/**
 * What anybody may ask without a key, and at no cost in quota: what this service is (`/`), the description of the API
 * (`/openapi.json`, an OpenAPI document), the catalog that leads programs to it (`/.well-known/api-catalog`, RFC 9727)
 * and the release that is served. All but the release is made once from the document that `npm run generate:openapi`
 * writes; an answer costs one `writeHead` and one `end`, and nothing of it is touched by a request with a key.
 */

import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { oncePer } from '../../base/once-per.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { describeRelease } from '../../core/use-cases/changes.js';
import { matchTag } from '../../server/etag.js';
import {
  CACHE_SECONDS,
  CATALOG_CONTENT_TYPE,
  CATALOG_PATH,
  DESCRIPTION_PATH,
  RELEASE_PATH,
} from '../description/public-operations.js';
import { CACHE_CONTROL, CONTENT_TYPE, contextOf, DESCRIPTION_LINK, type Renderer } from './render.js';

export const CATALOG_LINK = `<${CATALOG_PATH}>; rel="api-catalog"`;
/** Of what is the same for everybody. */
export const PUBLIC_CACHE_CONTROL = `public, max-age=${CACHE_SECONDS}`;

const PUBLIC_HEADERS: readonly string[] = ['link', CATALOG_LINK, 'cache-control', PUBLIC_CACHE_CONTROL];

/** What stands in the document and is told elsewhere too. */
export interface DescribedService {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly description: string;
  readonly attribution: string;
  readonly license: { readonly name: string; readonly identifier: string };
}

export interface ApiDescription {
  /** The OpenAPI document without white space. */
  readonly document: Buffer;
  readonly service: DescribedService;
}

export interface PublicRoute {
  readonly path: string;
  readonly handle: RequestHandler;
}

/** Throws where the text is no JSON or lacks what the service tells of itself: the file is part of the package. */
export function parseApiDescription(text: string): ApiDescription {
  const document = JSON.parse(text) as { info: Record<string, string> & { license: DescribedService['license'] } };
  const { title, summary, version, license, 'x-attribution': attribution } = document.info;
  for (const [name, value] of Object.entries({ title, summary, version, attribution })) {
    if (typeof value !== 'string') throw new Error(`the description of the API has no info.${name}`);
  }
  return {
    document: Buffer.from(JSON.stringify(document)),
    service: {
      name: title as string,
      summary: summary as string,
      version: version as string,
      description: DESCRIPTION_PATH,
      attribution: attribution as string,
      license: { name: license.name, identifier: license.identifier },
    },
  };
}

/** The service's own, and those of the further sources of the snapshot. */
function attributionOf({ attribution }: DescribedService, { manifest }: Snapshot): string {
  return [attribution, ...manifest.sources.slice(1).map((source) => source.attribution)].join('. ');
}

export function createPublicRoutes({ document, service }: ApiDescription, renderer: Renderer): PublicRoute[] {
  const serviceJsonOf = oncePer((snapshot: Snapshot) =>
    JSON.stringify({ ...service, attribution: attributionOf(service, snapshot) }),
  );
  const catalog = {
    linkset: [{ anchor: '/', 'service-desc': [{ href: DESCRIPTION_PATH, type: 'application/json' }] }],
  };
  return [
    {
      path: '/',
      handle: (_request, response) => {
        const context = contextOf(response);
        context.route = '/';
        const body = Buffer.from(
          `{"statusCode":200,"data":${serviceJsonOf(context.snapshot)},"metadata":{"correlationId":"${context.correlationId}"}}`,
        );
        const headers = renderer.commonHeaders(context);
        headers.push('link', `${DESCRIPTION_LINK}, ${CATALOG_LINK}`, 'cache-control', CACHE_CONTROL);
        headers.push('content-type', CONTENT_TYPE, 'content-length', String(body.length));
        response.writeHead(200, headers).end(body);
      },
    },
    publish(DESCRIPTION_PATH, CONTENT_TYPE, document),
    publish(CATALOG_PATH, CATALOG_CONTENT_TYPE, Buffer.from(JSON.stringify(catalog))),
    {
      path: RELEASE_PATH,
      handle: (request, response) => {
        const context = contextOf(response);
        context.route = RELEASE_PATH;
        renderer.sendData(request, response, () => describeRelease(context.snapshot), { own: PUBLIC_HEADERS });
      },
    },
  ];

  function publish(path: string, contentType: string, body: Buffer): PublicRoute {
    const tag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
    const fixed = [...PUBLIC_HEADERS, 'etag', tag];
    const ofBody = ['content-type', contentType, 'content-length', String(body.length)];
    return {
      path,
      handle: (request, response) => {
        const context = contextOf(response);
        context.route = path;
        const headers = [...renderer.commonHeaders(context), ...fixed];
        if (matchTag(request.headers['if-none-match'], tag) !== 'other') response.writeHead(304, headers).end();
        else response.writeHead(200, [...headers, ...ofBody]).end(body);
      },
    };
  }
}
