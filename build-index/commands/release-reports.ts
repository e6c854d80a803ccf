/** The reports of `publish`, `list`, `rollback` and `prune` for people. --json prints the same figures for programs. */

import { CHANGE_KINDS } from '../../src/core/snapshot/release-changes.js';
import type { ListedSnapshot } from '../../src/releases/find-snapshot.js';
import type { KeptReason, PruneReport } from '../../src/releases/snapshot-folder.js';
import type { PackReport } from '../building/pack-snapshot.js';
import type { DownloadOptions, DownloadResult } from '../downloading/download-release.js';
import type { ChannelReport } from '../publishing/channel-folder.js';
import type { ListedRelease, PruneReleasesReport, ReleaseReport } from '../publishing/publish-release.js';
import type { PublishReport, RollbackReport } from '../publishing/publish-snapshot.js';
import { formatBytes, formatCount, formatNumberOf, renderTable } from '../reporting/tables.js';

export function publishAsText({ name, bytes, copied, previous, changes }: PublishReport): string {
  const how = copied ? 'copied' : 'was there already';
  return `${name}: in service, ${formatBytes(bytes)}, ${how}; ${before(previous)}${changesAsText(changes)}`;
}

function changesAsText(changes: PublishReport['changes']): string {
  if (changes === null) return '';
  if ('problem' in changes) return `\nno list of changes: ${changes.problem}`;
  const counts = CHANGE_KINDS.map((kind) => `${formatCount(changes[kind])} ${kind}`);
  return `\n${changes.name}: since ${changes.since} ${counts.join(', ')}`;
}

export function rollbackAsText({ name, bytes, rolledBack, previous }: RollbackReport): string {
  return `${name}: in service, ${formatBytes(bytes)}, instead of ${rolledBack}; ${before(previous)}`;
}

function before(previous: string | null): string {
  return previous === null ? 'nothing before it' : `rollback would go to ${previous}`;
}

export function listAsText(snapshots: readonly ListedSnapshot[]): string {
  if (snapshots.length === 0) return 'no snapshots';
  const rows = snapshots.map(({ name, bytes, publishedAt, current, previous }) => {
    return [name, formatBytes(bytes), publishedAt, current ? 'current' : previous ? 'previous' : ''];
  });
  return renderTable(['snapshot', 'size', 'published', ''], rows);
}

const WHY_KEPT: Record<KeptReason, string> = {
  current: 'kept: in service',
  newest: 'kept: one of the newest',
  open: 'kept: a process has it open',
  unlockable: 'kept: it cannot be locked, so a process may have it open',
};

export function pruneAsText({ kept, removed, partialsRemoved, bytesFreed }: PruneReport): string {
  const rows = [
    ...kept.map(({ name, bytes, reason }) => [name, formatBytes(bytes), WHY_KEPT[reason]]),
    ...removed.map(({ name, bytes }) => [name, formatBytes(bytes), 'removed']),
  ];
  const partials = partialsRemoved === 0 ? '' : `, and ${formatNumberOf(partialsRemoved, 'partial file')}`;
  return [
    ...(rows.length === 0 ? [] : [renderTable(['snapshot', 'size', ''], rows), '']),
    `removed ${formatNumberOf(removed.length, 'snapshot')}${partials}: ${formatBytes(bytesFreed)} freed`,
  ].join('\n');
}

export function channelAsText({ channel, release, sequence, previous, changed }: ChannelReport): string {
  const state = changed ? `names ${release}, sequence number ${sequence}` : `named ${release} already`;
  return `${channel}: ${state}; ${before(previous)}`;
}

export function releaseAsText(report: ReleaseReport): string {
  const { bytes, transferBytes, changesTransferBytes, bytesWritten } = report;
  const changes =
    changesTransferBytes === null ? '' : `, and a list of changes of ${formatBytes(changesTransferBytes)}`;
  return [
    channelAsText(report),
    `${formatBytes(bytes)}, compressed ${formatBytes(transferBytes)}${changes}; wrote ${formatBytes(bytesWritten)}`,
  ].join('\n');
}

export function releasesAsText(releases: readonly ListedRelease[]): string {
  if (releases.length === 0) return 'no releases';
  const rows = releases.map(({ name, bytes, transferBytes, publishedAt, channels }) => [
    name,
    formatBytes(bytes),
    formatBytes(transferBytes),
    publishedAt,
    channels.join(' '),
  ]);
  return renderTable(['release', 'size', 'compressed', 'published', 'channels'], rows);
}

export function pruneReleasesAsText({ kept, removed, bytesFreed }: PruneReleasesReport): string {
  return [
    releasesAsText(kept),
    '',
    `removed ${formatNumberOf(removed.length, 'release')}: ${formatBytes(bytesFreed)} freed`,
  ].join('\n');
}

/* The report of `pack`, for people and as JSON. */

export function packAsJson(report: PackReport): string {
  const { manifest } = report;
  return JSON.stringify({
    file: report.outPath,
    from: report.sourcePath,
    release: manifest.release,
    sourceDate: manifest.sourceDate,
    siteUrl: manifest.siteUrl,
    countries: listCountries(manifest),
    bytes: report.fileBytes,
    sections: manifest.sections.map(({ name, length }) => ({ name, bytes: length })),
    seconds: report.seconds,
    peakMemoryBytes: report.peakMemoryBytes,
  });
}

export function packAsText(report: PackReport): string {
  const { manifest, outPath, fileBytes, seconds, peakMemoryBytes } = report;
  const countries = listCountries(manifest).map(({ code, places, distinctPostcodes }) => [
    code,
    formatCount(places),
    formatCount(distinctPostcodes),
  ]);
  return [
    `${outPath}: release ${manifest.release}, ${formatBytes(fileBytes)}\n`,
    `${renderTable(['country', 'places', 'codes'], countries)}\n`,
    `${seconds.toFixed(1)} s, peak memory ${formatBytes(peakMemoryBytes)}\n`,
  ].join('\n');
}

function listCountries({ countries }: PackReport['manifest']) {
  return countries
    .filter(({ slices }) => slices.length > 0)
    .map(({ code, levelCounts, distinctPostcodes }) => ({
      code,
      places: levelCounts.reduce((sum, count) => sum + count, 0),
      distinctPostcodes,
    }));
}

/* The report of a download: a table for people, or one JSON object for programs. */

export function downloadAsJson({ from, folder }: DownloadOptions, results: readonly DownloadResult[]): string {
  return JSON.stringify({ from: from.href, to: folder, files: results });
}

export function downloadAsText({ from, folder }: DownloadOptions, results: readonly DownloadResult[]): string {
  const rows = results.map(({ file, status, bytes }) => [file, status, bytes === null ? '' : formatBytes(bytes)]);
  return `${from.href} → ${folder}\n\n${renderTable(['file', 'status', 'size'], rows)}\n`;
}
