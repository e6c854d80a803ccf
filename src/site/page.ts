/** A page before it is sent: what stands in its head, and its body. */
import type { Html } from './html/html.js';
import type { SiteSnapshot } from './site-snapshot.js';

export interface Page {
  /** Without the site's name. */
  readonly title: string;
  readonly description: string;
  /** The one address of the page, a path; undefined for pages that search engines should not keep. */
  readonly canonicalPath: string | undefined;
  readonly body: Html;
  /** What it is made of beside the snapshot and this program, in a word of a-z and 0-9 that stands in its tag. */
  readonly variant?: string;
  /** Default: 200. */
  readonly status?: number;
  /** Whether its address is nobody else's business: no link from it tells where it was. */
  readonly isPrivate?: boolean;
  /** Objects of linked data. */
  readonly linkedData?: readonly object[];
  /** What the search box holds. */
  readonly query?: string;
  /** Names of further scripts and stylesheets among the assets. */
  readonly scripts?: readonly string[];
  readonly stylesheets?: readonly string[];
}

/** What every page is made of, taken once for each request. */
export interface PageContext {
  readonly site: SiteAddresses;
  readonly data: SiteSnapshot;
}

/** Where readers find what; origins without a slash at the end. */
export interface SiteAddresses {
  readonly siteUrl: string;
  readonly apiUrl: string;
  /** Whether people can sign in. */
  readonly hasAccounts: boolean;
}
