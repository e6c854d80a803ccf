/**
 * Entity tags, and the comparison with If-None-Match. A tag is weak and made of the snapshot's id and the URL, which
 * together determine the data of a response. So a tag needs no look at the response, and no cryptographic hash: a
 * client compares tags of one URL only.
 */

import { addToHash, FNV_OFFSET_BASIS } from '../core/snapshot/hash-table.js';

/** An arbitrary second start, so that the two 32-bit streams differ. */
const SECOND_OFFSET = 0x9e3779b9;

/** `Number.prototype.toString(16)` costs ten times a look at this table. */
const HEX = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));

/** 64 bits of FNV-1a (Fowler, Noll, Vo) in two streams; one pass over the URL. */
export function entityTag(snapshotId: string, url: string): string {
  let first = FNV_OFFSET_BASIS;
  let second = SECOND_OFFSET;
  for (let at = 0; at < url.length; at++) {
    const unit = url.charCodeAt(at);
    first = addToHash(first, unit);
    second = addToHash(second, unit);
  }
  return `W/"${snapshotId}-${hex(first)}${hex(second)}"`;
}

/**
 * Compares an If-None-Match header (RFC 9110, 13.1.2) weakly with the tag of a URL. `same`: the client has the data;
 * the response is 304 without a lookup, since only a response with data has a tag. `any`: the header is `*`; the
 * response is 304 if a lookup finds data. `other`: the data must be sent.
 */
export function matchTag(ifNoneMatch: string | undefined, tag: string): 'same' | 'any' | 'other' {
  if (ifNoneMatch === undefined) return 'other';
  if (ifNoneMatch === tag) return 'same';
  if (ifNoneMatch.trim() === '*') return 'any';
  // The parts of a foreign tag with a comma lack a quotation mark, so they never equal the tag.
  const isNamed = ifNoneMatch.split(',').some((candidate) => opaque(candidate.trim()) === opaque(tag));
  return isNamed ? 'same' : 'other';
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

function hex(word: number): string {
  return `${byte(word >>> 24)}${byte(word >>> 16)}${byte(word >>> 8)}${byte(word)}`;
}

function byte(value: number): string {
  return HEX[value & 0xff] as string;
}
