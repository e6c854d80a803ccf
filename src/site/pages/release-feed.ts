/**
 * The feed of releases: Atom (RFC 4287), an entry for each release whose changes are known, with absolute addresses.
 */

import { describeChanges } from '../components/release-changes.js';
import { escapeHtml } from '../html/html.js';
import type { PageContext } from '../html/page.js';
import { knownReleases } from '../reading/known-releases.js';
import { FEED_PATH, RELEASES_PATH, releasePath } from '../reading/page-paths.js';

export const ATOM_TYPE = 'application/atom+xml; charset=utf-8';

export function releaseFeed({ site, snapshot }: PageContext): string {
  const lists = knownReleases(snapshot);
  const address = (path: string): string => escapeHtml(site.siteUrl + path);
  const dates = lists.map(({ header, writtenAt }) =>
    header.sourceDate === null ? writtenAt : `${header.sourceDate}T00:00:00Z`,
  );
  const entries = lists.map(({ header }, at) => {
    const { release, since } = header;
    const url = address(releasePath(release));
    return `<entry>
<title>Release ${escapeHtml(release)}</title>
<id>${url}</id>
<link rel="alternate" type="text/html" href="${url}"/>
<updated>${dates[at]}</updated>
<summary>Since release ${escapeHtml(since)}: ${escapeHtml(describeChanges(header))}</summary>
</entry>
`;
  });
  const further = snapshot.manifest.sources.slice(1).map(({ attribution }) => attribution);
  // A feed must have a date, also one without entries.
  const updated = [...dates].sort().at(-1) ?? `${snapshot.manifest.sourceDate ?? '1970-01-01'}T00:00:00Z`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title>Postal Places: releases</title>
<subtitle>Postal codes and places of the world: what changed with each release</subtitle>
<id>${address(FEED_PATH)}</id>
<link rel="self" type="application/atom+xml" href="${address(FEED_PATH)}"/>
<link rel="alternate" type="text/html" href="${address(RELEASES_PATH)}"/>
<updated>${updated}</updated>
<author><name>Postal Places</name></author>
<rights>${['Place data: GeoNames, under CC BY 4.0, adapted', ...further].map(escapeHtml).join('. ')}</rights>
${entries.join('')}</feed>
`;
}
