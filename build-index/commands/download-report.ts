/** The report of a download: a table for people, or one JSON object for programs. */
import type { DownloadOptions, DownloadResult } from '../downloading/download-release.js';
import { formatBytes, renderTable } from '../reporting/tables.js';

export function downloadAsJson({ from, folder }: DownloadOptions, results: readonly DownloadResult[]): string {
  return JSON.stringify({ from: from.href, to: folder, files: results });
}

export function downloadAsText({ from, folder }: DownloadOptions, results: readonly DownloadResult[]): string {
  const rows = results.map(({ file, status, bytes }) => [file, status, bytes === null ? '' : formatBytes(bytes)]);
  return `${from.href} → ${folder}\n\n${renderTable(['file', 'status', 'size'], rows)}\n`;
}
