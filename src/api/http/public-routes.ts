/**
 * The routes that need no key and cost no quota: the service (`/`), the description of the API (`/openapi.json`), the
 * catalog that leads programs to it (`/.well-known/api-catalog`, RFC 9727) and the release that is served. All bodies but
 * that of the release are made once; an answer costs one `writeHead` and one `end`.
 */

import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { oncePer } from '../../base/once-per.js';
import { describeRelease } from '../../core/answers/release.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { matchTag } from '../../server/etag.js';
import {
  CATALOG_CONTENT_TYPE,
  CATALOG_PATH,
  DESCRIPTION_PATH,
  RELEASE_PATH,
} from '../description/public-operations.js';
import { apiInfo } from './api-info.js';
import {
  CACHE_CONTROL,
  CACHE_SECONDS,
  CONTENT_TYPE,
  DESCRIPTION_LINK,
  ENVELOPE_START,
  envelopeEnd,
  type Renderer,
} from './render-response.js';
import { contextOf } from './request-context.js';

export const CATALOG_LINK = `<${CATALOG_PATH}>; rel="api-catalog"`;
/** Of answers that are the same for everybody. */
export const PUBLIC_CACHE_CONTROL = `public, max-age=${CACHE_SECONDS}`;

const PUBLIC_HEADERS: readonly string[] = ['link', CATALOG_LINK, 'cache-control', PUBLIC_CACHE_CONTROL];

/** The GET handlers by their paths; `description` is the OpenAPI document, which is served without white space. */
export function createPublicRoutes(description: string, renderer: Renderer): Readonly<Record<string, RequestHandler>> {
  const { title: name, summary, version, license, 'x-attribution': attribution } = apiInfo().info;
  const serviceJsonOf = oncePer(({ manifest }: Snapshot) => {
    const credits = [attribution, ...manifest.sources.slice(1).map((source) => source.attribution)].join('. ');
    return JSON.stringify({ name, summary, version, description: DESCRIPTION_PATH, attribution: credits, license });
  });
  const catalog = {
    linkset: [{ anchor: '/', 'service-desc': [{ href: DESCRIPTION_PATH, type: 'application/json' }] }],
  };
  return {
    '/': (_request, response) => {
      const context = contextOf(response);
      context.route = '/';
      const end = envelopeEnd(context.correlationId);
      const body = Buffer.from(`${ENVELOPE_START}${serviceJsonOf(context.snapshot)}${end}`);
      const headers = renderer.commonHeaders(context);
      headers.push('link', `${DESCRIPTION_LINK}, ${CATALOG_LINK}`, 'cache-control', CACHE_CONTROL);
      headers.push('content-type', CONTENT_TYPE, 'content-length', String(body.length));
      response.writeHead(200, headers).end(body);
    },
    [DESCRIPTION_PATH]: publish(DESCRIPTION_PATH, CONTENT_TYPE, Buffer.from(JSON.stringify(JSON.parse(description)))),
    [CATALOG_PATH]: publish(CATALOG_PATH, CATALOG_CONTENT_TYPE, Buffer.from(JSON.stringify(catalog))),
    [RELEASE_PATH]: (request, response) => {
      const context = contextOf(response);
      context.route = RELEASE_PATH;
      renderer.sendData(request, response, () => describeRelease(context.snapshot), { own: PUBLIC_HEADERS });
    },
  };

  function publish(path: string, contentType: string, body: Buffer): RequestHandler {
    const tag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
    const fixed = [...PUBLIC_HEADERS, 'etag', tag];
    const ofBody = ['content-type', contentType, 'content-length', String(body.length)];
    return (request, response) => {
      const context = contextOf(response);
      context.route = path;
      const headers = [...renderer.commonHeaders(context), ...fixed];
      if (matchTag(request.headers['if-none-match'], tag) !== 'other') response.writeHead(304, headers).end();
      else response.writeHead(200, [...headers, ...ofBody]).end(body);
    };
  }
}
