/**
 * Lakes, rivers, built-up areas and lines between states, from data/map-features.tsv (data/README.md has its source), which
 * is read and decoded when the first map is drawn, in some 20 ms.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';
import { decodeRing, type Ring, ringOf } from './outlines.js';

export type FeatureKind = 'lake' | 'river' | 'urban' | 'state';

/** A ring or a line. */
export interface MapFeature extends Ring {
  readonly kind: FeatureKind;
  /** 0 for the largest, up to 9. */
  readonly rank: number;
}

export type MapFeatures = Readonly<Record<FeatureKind, readonly MapFeature[]>>;

/** `text` is the text of data/map-features.tsv. */
export function parseMapFeatures(text: string): MapFeatures {
  const features = text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [kind, rank, texts = ''] = line.split('\t');
      return texts
        .split(' ')
        .map((each) => ({ kind: kind as FeatureKind, rank: Number(rank), ...ringOf(decodeRing(each)) }));
    });
  const ofKind = (kind: FeatureKind): MapFeature[] => features.filter((one) => one.kind === kind);
  return { lake: ofKind('lake'), river: ofKind('river'), urban: ofKind('urban'), state: ofKind('state') };
}

let read: MapFeatures | undefined;

/** The features of data/map-features.tsv. */
export function packagedMapFeatures(): MapFeatures {
  read ??= parseMapFeatures(readFileSync(join(packageRoot(), 'data/map-features.tsv'), 'utf8'));
  return read;
}
