/**
 * The outlines of countries from data/outlines.tsv (0.65 MB; data/README.md has its source), which is read when the
 * first map is drawn. The rings of a country are decoded when its first map is drawn, and kept: 2 ms for Canada, 3 MB for
 * all countries.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRing } from '../../format/outline-text.js';
import { packageRoot } from '../../platform/package-root.js';

/**
 * A part of a country, or a hole in one, with its bounds in degrees: a ring across the antimeridian goes on beyond 180 or
 * -180.
 */
export interface Ring {
  /** Longitude and latitude of each point, one after the other. */
  readonly coords: Float64Array;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export class Outlines {
  /** Of the file, as part of addresses. */
  readonly digest: string;
  /** Of the countries that have one. */
  readonly codes: ReadonlySet<string>;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #rings = new Map<string, readonly Ring[]>();

  /** `text` is the text of data/outlines.tsv. */
  constructor(text: string) {
    this.digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const lines = text.split('\n').filter((line) => line !== '');
    this.#texts = new Map(lines.map((line) => line.split('\t') as [string, string]));
    this.codes = new Set(this.#texts.keys());
  }

  /** Of a country by its code of two letters; empty for one without an outline. Throws an Error for a damaged line. */
  ringsOf(code: string): readonly Ring[] {
    let rings = this.#rings.get(code);
    if (rings === undefined) {
      rings = (this.#texts.get(code)?.split(' ') ?? []).map((text) => withBounds(decodeRing(text)));
      this.#rings.set(code, rings);
    }
    return rings;
  }
}

function withBounds(coords: Float64Array): Ring {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < coords.length; at += 2) {
    const [longitude, latitude] = [coords[at] as number, coords[at + 1] as number];
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  return { coords, west, south, east, north };
}

let read: Outlines | undefined;

/** The package's own outlines. */
export function packagedOutlines(): Outlines {
  read ??= new Outlines(readFileSync(join(packageRoot(), 'data/outlines.tsv'), 'utf8'));
  return read;
}
