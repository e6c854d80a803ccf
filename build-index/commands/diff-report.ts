/** The report of `diff`: a table and examples for people, or the same figures as one JSON object for programs. */

import type { Position } from '../../src/core/snapshot/sphere.js';
import {
  type CodeChange,
  type CountryDiff,
  type Counts,
  fullCodeLossPercent,
  hasChanges,
  hasFullCodeChanges,
  lossPercent,
  lostIds,
  type PlaceChange,
  type PlaceShift,
  type PlaceSummary,
} from '../diffing/changes.js';
import type { ComparedSnapshot, SnapshotDiff } from '../diffing/diff-snapshots.js';
import { formatCount, formatShare } from '../reporting/figures.js';
import { renderExamples, renderTable } from '../reporting/text-tables.js';

export function diffAsJson(diff: SnapshotDiff, maxLossPercent: number): string {
  return JSON.stringify({
    old: snapshotAsJson(diff.before),
    new: snapshotAsJson(diff.after),
    maxLossPercent,
    countriesAdded: diff.countriesAdded,
    countriesRemoved: diff.countriesRemoved,
    totals: countsAsJson(diff.totals),
    countries: diff.countries.map((country) => ({
      code: country.code,
      ...countsAsJson(country.counts),
      isOverMaxLoss: describeLosses(country, maxLossPercent).length > 0,
    })),
    examples: diff.examples,
  });
}

function snapshotAsJson({ path, release, sourceDate }: ComparedSnapshot) {
  return { file: path, release, sourceDate };
}

function countsAsJson(counts: Counts) {
  return { ...counts, idsKeptPercent: 100 - lossPercent(counts), lossPercent: lossPercent(counts) };
}

export function diffAsText(diff: SnapshotDiff): string {
  const { before, after, totals, countries, examples } = diff;
  const changed = countries.filter(({ counts }) => hasChanges(counts));
  const blocks = [
    [
      `old        ${before.path}, release ${before.release}`,
      `new        ${after.path}, release ${after.release}`,
      `ids kept   ${formatCount(totals.idsKept)} of ${formatCount(totals.placesBefore)}, ` +
        formatShare(totals.idsKept, totals.placesBefore),
      `countries  ${formatCount(countries.length)} with postcode data, ${formatCount(changed.length)} with changes` +
        `${listed('added', diff.countriesAdded)}${listed('removed', diff.countriesRemoved)}`,
    ].join('\n'),
    changed.length === 0 ? '' : countryTable(changed, totals),
    exampleBlock('places added', totals.added, examples.added, describePlace),
    exampleBlock('places removed', totals.removed, examples.removed, describePlace),
    exampleBlock('places moved', totals.moved, examples.moved, describeMove),
    exampleBlock('places renamed', totals.renamed, examples.renamed, describeNames),
    exampleBlock('places of another type', totals.retyped, examples.retyped, describeTypes),
    exampleBlock('places shifted by over 1 km', totals.shiftedOver1Km, examples.shifted, describeShift),
    exampleBlock('codes added', totals.codesAdded, examples.codesAdded, describeCode),
    exampleBlock('codes removed', totals.codesRemoved, examples.codesRemoved, describeCode),
    hasFullCodeChanges(totals) ? fullCodeTable(changed.filter(({ counts }) => hasFullCodeChanges(counts))) : '',
    exampleBlock('full codes added', totals.fullCodesAdded, examples.fullCodesAdded, describeCode),
    exampleBlock('full codes removed', totals.fullCodesRemoved, examples.fullCodesRemoved, describeCode),
    exampleBlock('full codes moved', totals.fullCodesMoved, examples.fullCodesMoved, describeCode),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function listed(what: string, codes: readonly string[]): string {
  return codes.length === 0 ? '' : `\n  ${what.padEnd(8)} ${codes.join(' ')}`;
}

const PLACE_CHANGES = ['added', 'removed', 'moved', 'renamed'];
const SHIFTS = ['> 1 km', '> 10 km', '> 100 km'];

function countryTable(changed: readonly CountryDiff[], totals: Counts): string {
  const row = (label: string, counts: Counts): string[] => [
    label,
    formatCount(counts.placesBefore),
    formatCount(counts.placesAfter),
    formatCount(counts.added),
    formatCount(counts.removed),
    formatCount(counts.moved),
    formatCount(counts.renamed),
    formatCount(counts.shiftedOver1Km),
    formatCount(counts.shiftedOver10Km),
    formatCount(counts.shiftedOver100Km),
    formatCount(counts.codesAdded),
    formatCount(counts.codesRemoved),
    formatShare(counts.placesBefore - counts.idsKept, counts.placesBefore),
  ];
  return renderTable(
    ['country', 'old places', 'new places', ...PLACE_CHANGES, ...SHIFTS, 'codes +', 'codes -', 'loss'],
    [...changed.map(({ code, counts }) => row(code, counts)), row('all', totals)],
  );
}

function fullCodeTable(changed: readonly CountryDiff[]): string {
  return renderTable(
    ['country', 'old full codes', 'new full codes', 'added', 'removed', 'moved'],
    changed.map(({ code, counts }) => [
      code,
      formatCount(counts.fullCodesBefore),
      formatCount(counts.fullCodesAfter),
      formatCount(counts.fullCodesAdded),
      formatCount(counts.fullCodesRemoved),
      formatCount(counts.fullCodesMoved),
    ]),
  );
}

function exampleBlock<T>(title: string, count: number, examples: readonly T[], describe: (example: T) => string) {
  return count === 0 ? '' : renderExamples(title, count, examples.map(describe));
}

function describePlace({ countryCode, before, after }: PlaceChange): string {
  const { id, path } = (before ?? after) as PlaceSummary;
  return `${countryCode}${path}  ${nameAndCode((before ?? after) as PlaceSummary)}  ${id}`;
}

function describeMove({ countryCode, before, after }: PlaceChange): string {
  return `${countryCode}${before?.path} → ${countryCode}${after?.path}  ${nameAndCode(after as PlaceSummary)}  ${after?.id}`;
}

function describeNames({ countryCode, before, after }: PlaceChange): string {
  const [was, is] = [before as PlaceSummary, after as PlaceSummary];
  return `${countryCode}${was.path} → ${countryCode}${is.path}  ${nameAndCode(was)} → ${nameAndCode(is)}`;
}

function describeTypes({ countryCode, before, after }: PlaceChange): string {
  const [was, is] = [before as PlaceSummary, after as PlaceSummary];
  return `${countryCode}${is.path}  ${nameAndCode(is)}  ${was.type} → ${is.type}  ${is.id}`;
}

function describeShift({ countryCode, after, from, to, km }: PlaceShift): string {
  const is = after as PlaceSummary;
  return `${countryCode}${is.path}  ${nameAndCode(is)}  ${km.toFixed(1)} km: ${describePosition(from)} → ${describePosition(to)}`;
}

function describePosition({ latitude, longitude }: Position): string {
  return `${latitude},${longitude}`;
}

function describeCode({ countryCode, postalCode }: CodeChange): string {
  return `${countryCode} ${postalCode}`;
}

function nameAndCode({ name, localName, postalCode }: PlaceSummary): string {
  const names = localName === name ? name : `${name} / ${localName}`;
  return postalCode === null ? names : `${names} (${postalCode})`;
}

/** What the country would lose more of than `maxLoss` percent: places, full codes. */
export function describeLosses({ code, counts }: CountryDiff, maxLoss: number): string[] {
  const describe = (lost: number, before: number, things: string): string =>
    `${code} would lose ${formatCount(lost)} of ${formatCount(before)} ${things} (${formatShare(lost, before)})`;
  return [
    ...(lossPercent(counts) > maxLoss ? [describe(lostIds(counts), counts.placesBefore, 'places')] : []),
    ...(fullCodeLossPercent(counts) > maxLoss
      ? [describe(counts.fullCodesRemoved, counts.fullCodesBefore, 'full codes')]
      : []),
  ];
}
