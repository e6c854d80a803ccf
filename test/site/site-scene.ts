/** The site's application over a snapshot, as the program wires it, but for the address that it listens on. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import type { Express } from 'express';
import type { Response } from 'supertest';
import request from 'supertest';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { createAddressLimit } from '../../src/server/address-limit.js';
import { classesOf } from '../../src/server/express-classes.js';
import { createSiteApp, type SiteDependencies } from '../../src/site/app.js';
import { type DocsLibrary, readDocs } from '../../src/site/docs/docs-library.js';
import { readAssets } from '../../src/site/http/built-assets.js';
import { createRecordingLogger, type RecordingLogger } from '../fixtures/recording-logger.js';

export const SITE_URL = 'https://site.test';
export const API_URL = 'https://api.test';

/** More than any test asks for. */
const NO_LIMIT = createAddressLimit({ requestsPerSecond: 1e6, burst: 1e6 });
export const NO_LIMITS = { search: NO_LIMIT, page: NO_LIMIT };

export interface SiteScene {
  readonly app: Express;
  readonly logger: RecordingLogger;
  snapshot: Snapshot;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Listens on a free port until `close`, and gives the origin. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

let read: Pick<SiteDependencies, 'assets' | 'docs'> | undefined;

/** What every site of a file of tests has in common. Reading it takes longer than most tests. */
function readOnce(): Pick<SiteDependencies, 'assets' | 'docs'> {
  read ??= { assets: readAssets(), docs: readDocs() };
  return read;
}

export function createSite(snapshot: Snapshot, options: Partial<SiteDependencies> = {}): SiteScene {
  const logger = createRecordingLogger();
  let server: Server | undefined;
  const app = createSiteApp({
    snapshots: { current: () => scene.snapshot },
    addresses: { siteUrl: SITE_URL, apiUrl: API_URL, hasAccounts: options.account !== undefined },
    ...readOnce(),
    limits: NO_LIMITS,
    logger,
    ...options,
  });
  const scene: SiteScene = {
    app,
    logger,
    snapshot,
    get: (path, headers = {}) => request(app).get(path).set(headers),
    async listen() {
      const listening = createServer(classesOf(app), app).listen(0, '127.0.0.1');
      server = listening;
      await once(listening, 'listening');
      return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
    },
    close: () =>
      new Promise((resolve) => {
        if (server === undefined) {
          resolve();
          return;
        }
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return scene;
}

/** Two short guides with hostile markup, and a description whose server is elsewhere. */
export function docsWithDescription(): DocsLibrary {
  return readDocs(join(import.meta.dirname, 'described-docs'));
}

/** The addresses in a sitemap or its index, as paths. */
export function locationsIn(xml: string): string[] {
  return [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) =>
    decodeEntities(url as string).slice(SITE_URL.length),
  );
}

/** The paths in a gzipped sitemap. */
export async function sitemapOf({ app }: SiteScene, path: string): Promise<string[]> {
  const { status, type, body } = await request(app)
    .get(path)
    .buffer(true)
    .parse((response, done) => {
      buffer(response as unknown as Readable)
        .then((bytes) => done(null, bytes))
        .catch((error) => done(error, null));
    });
  expect([path, status, type]).toEqual([path, 200, 'application/gzip']);
  return locationsIn(gunzipSync(body as Buffer).toString());
}

/** The HTML of a page that must be there. */
export async function readPage(site: SiteScene, path: string): Promise<string> {
  const { status, text } = await site.get(path);
  expect({ path, status }).toEqual({ path, status: 200 });
  return text;
}

/** HTML as text, in one line. */
export function plainText(html: string): string {
  return decodeEntities(html.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

/** The text of the first element like this, without markup. */
export function textOf(html: string, element: string): string {
  const [, inside = ''] = new RegExp(`<${element}(?: [^>]*)?>([\\s\\S]*?)</${element}>`).exec(html) ?? [];
  return decodeEntities(inside.replace(/<[^>]*>/g, '')).trim();
}

/** The section whose heading has this id, or nothing. */
export function sectionIn(html: string, id: string): string {
  return new RegExp(`<section aria-labelledby="${id}">.*?</section>`, 's').exec(html)?.[0] ?? '';
}

export function mapIn(html: string): string {
  return /<figure class="map">.*?<\/figure>/s.exec(html)?.[0] ?? '';
}

/** The contents of the fact with this name, or nothing. */
export function factIn(html: string, name: string): string {
  return new RegExp(`<dt>${name}</dt><dd>(.*?)</dd>`, 's').exec(html)?.[1] ?? '';
}

/** The path of the page that stands for this one. */
export function canonicalIn(html: string): string {
  return decodeEntities(/<link rel="canonical" href="([^"]+)">/.exec(html)?.[1] ?? '').slice(SITE_URL.length);
}

/** Where the links of a page lead, on the same site, as paths with their query. */
export function linksIn(html: string, path: string): string[] {
  const hrefs = [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href]) => decodeEntities(href as string));
  return hrefs.flatMap((href) => {
    const url = new URL(href, SITE_URL + path);
    return url.origin === SITE_URL ? [url.pathname + url.search] : [];
  });
}

export function linkedDataIn(html: string): Record<string, unknown>[] {
  return [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g)].map(
    ([, json]) => JSON.parse(json as string) as Record<string, unknown>,
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

export function decodeEntities(text: string): string {
  return text.replace(/&([#\w]+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}
