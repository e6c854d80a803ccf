/**
 * The context of one request to the site: the URL, the snapshot and other sources, and the ways to respond. A page that
 * depends on snapshot, program and address alone has an entity tag made of these, and is cached by address
 * (page-cache.ts). Of the query, only the page number of a list makes a different page.
 */

import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { packageVersion } from '../../base/package-root.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { entityTag } from '../../server/etag.js';
import type { DocsLibrary } from '../docs/docs-library.js';
import { renderInLayout } from '../html/layout.js';
import type { Page, PageContext, SiteAddresses } from '../html/page.js';
import type { Assets } from './built-assets.js';
import { PageCache } from './page-cache.js';
import { HTML, PAGE_HEADERS, PRIVATE_HEADERS, redirect, sendOnce, sendTagged, sendUnchanged } from './responses.js';

/** The sources of all pages. */
export interface RequestSources {
  readonly snapshots: { current(): Snapshot };
  readonly addresses: SiteAddresses;
  readonly assets: Assets;
  readonly docs: DocsLibrary;
}

/** Responds, or gives false if there is nothing at this address. */
export type Answer = (context: RequestContext) => boolean | Promise<boolean>;

export type Opener = (request: Request, response: Response) => RequestContext;

/** Every handler of a request gets the same RequestContext. */
export function createOpener(sources: RequestSources): Opener {
  const program = new SiteProgram(sources);
  return (request, response) => {
    // Express makes an empty object for each response.
    if (!(response.locals instanceof RequestContext)) {
      response.locals = new RequestContext(program, request, response) as RequestContext & Record<string, unknown>;
    }
    return response.locals as unknown as RequestContext;
  };
}

/** Shared by all requests: the sources, the cached pages, and the digest of the pages' other inputs. */
class SiteProgram {
  readonly pages = new PageCache();
  #digest: string | undefined;

  constructor(readonly sources: RequestSources) {}

  /**
   * Digest of everything that pages are made from except the snapshot. The address of the site may not be known before
   * the first request.
   */
  get digest(): string {
    this.#digest ??= digestOf(this.sources);
    return this.#digest;
  }
}

function digestOf({ assets, docs, addresses }: RequestSources): string {
  const parts = [packageVersion(), assets.digest, docs.digest, JSON.stringify(addresses)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

export class RequestContext implements PageContext {
  readonly snapshot: Snapshot;
  /** The path as it was sent. */
  readonly path: string;
  readonly #version: string;
  readonly #queryAt: number;
  #query: URLSearchParams | undefined;

  constructor(
    private readonly program: SiteProgram,
    readonly request: Request,
    readonly response: Response,
  ) {
    this.snapshot = program.sources.snapshots.current();
    this.#version = `${this.snapshot.id}-${program.digest}`;
    const { originalUrl } = request;
    this.#queryAt = originalUrl.indexOf('?');
    this.path = this.#queryAt < 0 ? originalUrl : originalUrl.slice(0, this.#queryAt);
  }

  get site(): SiteAddresses {
    return this.program.sources.addresses;
  }

  get assets(): Assets {
    return this.program.sources.assets;
  }

  get docs(): DocsLibrary {
    return this.program.sources.docs;
  }

  get query(): URLSearchParams {
    const text = this.#queryAt < 0 ? '' : this.request.originalUrl.slice(this.#queryAt + 1);
    this.#query ??= new URLSearchParams(text);
    return this.#query;
  }

  /** The page number of a list in the query, from 1; undefined if it is not valid. */
  get listNumber(): number | undefined {
    const text = (this.#queryAt < 0 ? null : this.query.get('page')) ?? '1';
    return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
  }

  /** The entity tag of an address: a path and, if it is not 1, the page number of a list. */
  tagOf(address: string, variant = ''): string {
    return entityTag(this.#version + variant, address);
  }

  /** Sends the cached page of this address, or 304; false if none is cached. `headers` are those of its policy. */
  sendCached(address: string, headers?: readonly string[]): boolean {
    const page = this.program.pages.find(this.#version, address);
    if (page !== undefined) sendTagged(this.request, this.response, this.tagOf(address), HTML, page, headers);
    return page !== undefined;
  }

  /** Bytes that the snapshot and this program determine, made once; `name` is no page's address. */
  cached(name: string, make: () => string): Buffer {
    const { pages } = this.program;
    const known = pages.find(this.#version, name);
    if (known !== undefined) return known;
    const made = Buffer.from(make());
    pages.add(this.#version, name, made);
    return made;
  }

  /** Renders and sends a page, and caches it where others may be sent the same. */
  send(page: Page, headers?: readonly string[]): void {
    const { status = 200, canonicalPath, path = canonicalPath, variant, isPrivate = false } = page;
    const { request, response } = this;
    if (status !== 200 || canonicalPath === undefined || path === undefined) {
      sendOnce(response, status, HTML, this.#render(page), headers, isPrivate ? PRIVATE_HEADERS : PAGE_HEADERS);
      return;
    }
    const tag = this.tagOf(path, variant);
    if (sendUnchanged(request, response, tag, headers)) return;
    // Only the route of a page with a variant knows the tag that the page has now.
    const text = variant === undefined ? this.cached(path, () => this.#render(page)) : this.#render(page);
    sendTagged(request, response, tag, HTML, text, headers);
  }

  /** Sends the page of an error status, the same for every address. */
  sendFixed(status: number, make: () => Page, headers?: readonly string[]): void {
    const text = this.cached(`status ${status}`, () => this.#render(make()));
    sendOnce(this.response, status, HTML, text, headers);
  }

  #render(page: Page): string {
    return renderInLayout(page, this, this.assets.path);
  }
}

export function redirectTo({ response, query }: RequestContext, path: string): true {
  const text = query.toString();
  redirect(response, text === '' ? path : `${path}?${text}`);
  return true;
}
