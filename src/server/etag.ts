/**
 * Entity tags, and what a client says of those that it has. The tags are weak, and made of the snapshot and the URL,
 * because these two determine an answer's data. The tag needs no look at the answer, and no cryptography: a client
 * compares tags of one URL only, so the hash of the URL guards against mix-ups and not against an adversary.
 */
import { addToHash, FNV_OFFSET_BASIS } from '../format/hash.js';

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
 * What an If-None-Match header (RFC 9110, 13.1.2) says of a URL that has this tag if it has any data. `same`: the
 * client has the data. A tag is given with data only, so the answer is 304, and no lookup is needed to know that.
 * `any`: the header is `*`, and the answer is 304 if a lookup finds data. `other`: the data are to be sent. Tags are
 * compared weakly.
 */
export function matchTag(ifNoneMatch: string | undefined, tag: string): 'same' | 'any' | 'other' {
  if (ifNoneMatch === undefined) return 'other';
  if (ifNoneMatch === tag) return 'same';
  if (ifNoneMatch.trim() === '*') return 'any';
  // A foreign tag may hold a comma; its halves lack a quotation mark and so equal no tag of ours.
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
