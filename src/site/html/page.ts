/** A page before it is rendered, and what every page is made from. */

import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { Html } from './html.js';

export interface Page {
  /** Without the site's name. */
  readonly title: string;
  readonly description: string;
  /** The one address of the page, a path; undefined for pages that search engines should not keep. */
  readonly canonicalPath: string | undefined;
  /** The address that the page has, if it is not its canonical path. */
  readonly path?: string;
  readonly body: Html;
  /** Identifies inputs of the page beside snapshot and program, in a-z and 0-9; part of the page's entity tag. */
  readonly variant?: string;
  /** Default: 200. */
  readonly status?: number;
  /** The path of a feed (Atom) about the same. */
  readonly feed?: string;
  /** Whether its address is private: its links send no Referer. */
  readonly isPrivate?: boolean;
  /** Objects of linked data. */
  readonly linkedData?: readonly object[];
  /** The text in the search form. */
  readonly query?: string;
  /** Names of further scripts among the assets; they are modules. */
  readonly scripts?: readonly string[];
}

/** The inputs of every page, read once per request. */
export interface PageContext {
  readonly site: SiteAddresses;
  readonly snapshot: Snapshot;
}

/** The public addresses: origins without a slash at the end. */
export interface SiteAddresses {
  readonly siteUrl: string;
  readonly apiUrl: string;
  /** Whether people can sign in. */
  readonly hasAccounts: boolean;
  /** The publishable key for pages of this site, if there is one. */
  readonly formKey?: string | null;
}
