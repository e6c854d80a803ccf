/**
 * One request to the site: what was asked for, what it is answered from, and how. A page that the snapshot and this program
 * determine has a tag of its own, made of both and of its address, and is kept (page-cache.ts) under its address; whatever
 * stands in a query beside the number of a list's page makes no other page.
 */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { packageVersion } from '../package-root.js';
import { entityTag } from '../server/etag.js';
import type { Snapshot } from '../store/snapshot.js';
import { HTML, redirect, sendOnce, sendTagged, sendUnchanged } from './answers.js';
import type { Assets } from './assets.js';
import type { DocsLibrary } from './docs/docs-library.js';
import type { EarlierReleases } from './earlier-releases.js';
import { PAGE_HEADERS, PRIVATE_HEADERS } from './headers.js';
import { renderDocument } from './html/layout.js';
import type { Page, PageContext, SiteAddresses } from './page.js';
import { PageCache } from './page-cache.js';
import { siteSnapshotOf } from './site-snapshot.js';
import type { Sitemaps } from './sitemaps.js';

/** What every request is answered from. */
export interface VisitSources {
  readonly snapshots: { current(): Snapshot };
  readonly addresses: SiteAddresses;
  readonly assets: Assets;
  readonly docs: DocsLibrary;
  readonly earlierReleases: EarlierReleases;
  readonly sitemaps: Sitemaps;
}

/** What a route is given. */
export interface Visit extends PageContext, Pick<VisitSources, 'assets' | 'docs' | 'earlierReleases' | 'sitemaps'> {
  readonly request: Request;
  readonly response: Response;
  /** The path as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The page of a list that the query asks for, from 1; undefined where that is no number. */
  readonly listNumber: number | undefined;
  /** The entity tag of what is at this address, a path and the number of a list's page where that is not 1. */
  tagOf(address: string, variant?: string): string;
  /** Sends what is kept of this address, or that it has not changed; false where nothing is kept. */
  sendKept(address: string): boolean;
  /** Bytes that the snapshot and this program determine, made once; `name` is no page's address. */
  keep(name: string, make: () => string): Buffer;
  /** Renders and sends a page, and keeps it where others may be sent the same. */
  send(page: Page, headers?: readonly string[]): void;
  /** Sends the page of a status that is the same whatever was asked for. */
  sendFixed(status: number, make: () => Page, headers?: readonly string[]): void;
}

/** Answers, or gives false where there is nothing at this address. */
export type Answer = (visit: Visit) => boolean;

export type Opener = (request: Request, response: Response) => Visit;

export function createOpener(sources: VisitSources): Opener {
  const { snapshots, addresses, assets, docs, earlierReleases, sitemaps } = sources;
  const cache = new PageCache();
  const layout = { assetsPath: assets.path };
  // The address of the site may not be known before the first request.
  let build: string | undefined;
  const digest = (): string => {
    const parts = [packageVersion(), assets.digest, docs.digest, JSON.stringify(addresses)];
    build ??= createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
    return build;
  };
  return (request, response) => {
    const data = siteSnapshotOf(snapshots.current());
    const { url } = request;
    const queryAt = url.indexOf('?');
    const version = `${data.snapshot.id}-${build ?? digest()}`;
    let query: URLSearchParams | undefined;
    const visit: Visit = {
      ...{ site: addresses, data, request, response, assets, docs, earlierReleases, sitemaps },
      path: queryAt < 0 ? url : url.slice(0, queryAt),
      get query() {
        query ??= new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1));
        return query;
      },
      get listNumber() {
        const text = (queryAt < 0 ? null : visit.query.get('page')) ?? '1';
        return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
      },
      tagOf: (address, variant = '') => entityTag(`${version}${variant}`, address),
      sendKept(address) {
        const kept = cache.find(version, address);
        if (kept !== undefined) sendTagged(request, response, visit.tagOf(address), HTML, kept);
        return kept !== undefined;
      },
      keep(name, make) {
        const kept = cache.find(version, name) ?? Buffer.from(make());
        cache.keep(version, name, kept);
        return kept;
      },
      send(page, headers) {
        const { status = 200, canonicalPath, variant, isPrivate = false } = page;
        const render = (): string => renderDocument(page, visit, layout);
        if (status !== 200 || canonicalPath === undefined) {
          sendOnce(response, status, HTML, render(), headers, isPrivate ? PRIVATE_HEADERS : PAGE_HEADERS);
          return;
        }
        const tag = visit.tagOf(canonicalPath, variant);
        if (sendUnchanged(request, response, tag)) return;
        // Only a page of the default policy and tag can be sent again without its route.
        const isKept = headers === undefined && variant === undefined;
        const text = isKept ? visit.keep(canonicalPath, render) : render();
        sendTagged(request, response, tag, HTML, text, headers);
      },
      sendFixed(status, make, headers) {
        const text = visit.keep(`status ${status}`, () => renderDocument(make(), visit, layout));
        sendOnce(response, status, HTML, text, headers);
      },
    };
    return visit;
  };
}

export function moveTo({ response, query }: Visit, path: string): true {
  const text = query.toString();
  redirect(response, text === '' ? path : `${path}?${text}`);
  return true;
}
