/**
 * What is served: the release, its countries with data and the versions of its snapshot; about 50 µs.
 */

import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import { FORMAT_VERSION } from '../snapshot/sections.js';
import type { Snapshot } from '../snapshot/snapshot.js';

export function describeRelease({ release, manifest }: Snapshot): ByteString {
  const countries = manifest.countries
    .filter(({ slices }) => slices.length > 0)
    .map(({ code, levelCounts, distinctPostcodes }) => ({ code, totalPlaces: sum(levelCounts), distinctPostcodes }));
  const description = {
    name: release,
    sourceDate: manifest.sourceDate,
    previousRelease: manifest.previousRelease,
    totalPlaces: sum(countries.map(({ totalPlaces }) => totalPlaces)),
    distinctPostcodes: sum(countries.map(({ distinctPostcodes }) => distinctPostcodes)),
    countries,
    formatVersion: FORMAT_VERSION,
    foldingVersion: manifest.foldingVersion,
    builderVersion: manifest.builderVersion,
    ...(manifest.sources.length > 0 && { sources: manifest.sources }),
  };
  return encodeUtf8(JSON.stringify(description));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
