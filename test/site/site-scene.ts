/** The site's application over a snapshot, as the program wires it, but for the address that it listens on. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Express } from 'express';
import type { Response } from 'supertest';
import request from 'supertest';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { createAddressLimit } from '../../src/server/address-limit.js';
import { classesOf } from '../../src/server/express-classes.js';
import { createSiteApp, type SiteDependencies } from '../../src/site/app.js';
import { readAssets } from '../../src/site/assets.js';
import { type DocsLibrary, readDocs } from '../../src/site/docs/docs-library.js';
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

export function createSite(snapshot: Snapshot, options: Partial<SiteDependencies> = {}): SiteScene {
  const logger = createRecordingLogger();
  let server: Server | undefined;
  const app = createSiteApp({
    snapshots: { current: () => scene.snapshot },
    addresses: { siteUrl: SITE_URL, apiUrl: API_URL, hasAccounts: options.account !== undefined },
    assets: readAssets(),
    docs: readDocs(),
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

/** The text of the first element like this, without markup. */
export function textOf(html: string, element: string): string {
  const [, inside = ''] = new RegExp(`<${element}(?: [^>]*)?>([\\s\\S]*?)</${element}>`).exec(html) ?? [];
  return decodeEntities(inside.replace(/<[^>]*>/g, '')).trim();
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

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

export function decodeEntities(text: string): string {
  return text.replace(/&([#\w]+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}
