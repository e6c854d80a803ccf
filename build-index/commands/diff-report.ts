/** The report of `diff` as one object, for programs and, with a line for each example, for people. */

import {
  type CountryDiff,
  type Counts,
  changeCountOf,
  EXAMPLE_KINDS,
  type Example,
  fullCodeLossPercent,
  hasCountedChanges,
  lossPercent,
  lostIds,
  type PlaceSummary,
} from '../diffing/change-counts.js';
import type { ComparedSnapshot, SnapshotDiff } from '../diffing/diff-snapshots.js';
import { formatCount, formatShare } from '../reporting/format-figures.js';

/** The same figures of the countries that changed, then the totals, and a line for each example. */
export function diffReportForPeople(diff: SnapshotDiff, maxLossPercent: number): object {
  const changed = diff.countries.filter(({ counts }) => hasCountedChanges(counts));
  const { totals, countries, examples, ...facts } = diffReportAsObject({ ...diff, countries: changed }, maxLossPercent);
  return {
    ...facts,
    countries: [...countries, { code: 'all', ...totals, isOverMaxLoss: countries.some((one) => one.isOverMaxLoss) }],
    examples: EXAMPLE_KINDS.filter((kind) => examples[kind].length > 0).map((kind) => ({
      kind: kind.replace(/(?=[A-Z])/g, ' ').toLowerCase(),
      count: changeCountOf(totals, kind),
      examples: examples[kind].map(describeExample),
    })),
  };
}

export function diffReportAsObject(diff: SnapshotDiff, maxLossPercent: number) {
  return {
    old: snapshotAsObject(diff.before),
    new: snapshotAsObject(diff.after),
    maxLossPercent,
    countriesAdded: diff.countriesAdded,
    countriesRemoved: diff.countriesRemoved,
    totals: countsAsObject(diff.totals),
    countries: diff.countries.map((country) => ({
      code: country.code,
      ...countsAsObject(country.counts),
      isOverMaxLoss: describeLosses(country, maxLossPercent).length > 0,
    })),
    examples: diff.examples,
  };
}

function snapshotAsObject({ path, release, sourceDate }: ComparedSnapshot) {
  return { file: path, release, sourceDate };
}

function countsAsObject(counts: Counts) {
  return { ...counts, idsKeptPercent: 100 - lossPercent(counts), lossPercent: lossPercent(counts) };
}

/** What a place was and is, each text once where it stayed: "BE/wallonie → BE/brussel  Bruxelles (1000)  …". */
function describeExample({ countryCode, before, after, from, to, km, postalCode }: Example): string {
  if (postalCode !== undefined) return `${countryCode} ${postalCode}`;
  const wasAndIs = (textOf: (place: PlaceSummary) => string): string =>
    [...new Set([before, after].flatMap((place) => (place == null ? [] : textOf(place))))].join(' → ');
  const type = wasAndIs((place) => place.type);
  return [
    wasAndIs(({ path }) => countryCode + path),
    wasAndIs(nameAndCode),
    ...(type.includes(' ') ? [type] : []),
    ...(km === undefined ? [] : [`${km} km: ${from?.latitude},${from?.longitude} → ${to?.latitude},${to?.longitude}`]),
    wasAndIs(({ id }) => id),
  ].join('  ');
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
