/**
 * The second reader's view of what is told of a country's places on request: codes, time zones, populations and bounds.
 * Shares no code with src.
 */
import { type CountryPlaces, mustDivide, partOf, textOf } from './country-places.js';
import { type Column, must, readBundle } from './snapshot-file.js';

export interface Facts {
  readonly codes: { readonly iso3166_2: string | null; readonly release: string | null };
  readonly timezone: string;
  readonly population: number | null;
  readonly bounds: readonly number[] | null;
}

export function readFacts(slice: Buffer, places: CountryPlaces): (place: number) => Facts {
  const facts = readBundle(slice, {
    ...{ units: 'u32', textStarts: 'u32', text: 'u8', zones: 'u8', populated: 'u32', populations: 'u32' },
    ...{ boundedUnits: 'u32', bounds: 'i32' },
  } as const);
  const { units, textStarts, text, zones, populated, populations, boundedUnits, bounds } = facts;
  const zoneCount = textStarts.length - 1 - 2 * units.length;
  must(zoneCount >= 1 && zoneCount <= 256, 'one to 256 time zones');
  mustDivide(textStarts, textStarts.length - 1, text);
  must(zones.length === places.placeCount, 'a time zone for each place');
  must(populations.length === populated.length && bounds.length === 4 * boundedUnits.length, 'a value for each place');
  const textAt = (number: number): string | null => {
    const line = textOf(text, partOf(textStarts, number));
    must(line.endsWith('\n'), 'a line feed behind each text');
    return line.slice(0, -1) || null;
  };
  const find = (list: Column, place: number): number | undefined => {
    for (let at = 0; at < list.length; at++) if (list.at(at) === place) return at;
    return undefined;
  };
  return (place) => {
    const unit = find(units, places.ancestorsOf(place)[0] ?? place);
    const counted = find(populated, place);
    const bounded = find(boundedUnits, place);
    const first = zoneCount + 2 * (unit ?? 0);
    return {
      codes: {
        iso3166_2: unit === undefined ? null : textAt(first),
        release: unit === undefined ? null : textAt(first + 1),
      },
      timezone: textAt(zones.at(place)) as string,
      population: counted === undefined ? null : populations.at(counted),
      bounds: bounded === undefined ? null : [0, 1, 2, 3].map((side) => bounds.at(4 * bounded + side) / 1e7),
    };
  };
}
