/**
 * Entity tags: weak, and made of the snapshot and the URL, because these two determine an answer's data. The tag needs
 * no look at the answer, and no cryptography: a client compares tags of one URL only, so the hash of the URL guards
 * against mix-ups and not against an adversary.
 */

const FNV_PRIME = 0x01000193;
const FNV_OFFSET = 0x811c9dc5;
/** An arbitrary second start, so that the two 32-bit streams differ. */
const SECOND_OFFSET = 0x9e3779b9;

/** `Number.prototype.toString(16)` costs ten times a look at this table. */
const HEX = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));

/** 64 bits of FNV-1a (Fowler, Noll, Vo) in two streams; one pass over the URL. */
export function entityTag(snapshotId: string, url: string): string {
  let first = FNV_OFFSET;
  let second = SECOND_OFFSET;
  for (let at = 0; at < url.length; at++) {
    const unit = url.charCodeAt(at);
    first = Math.imul(first ^ unit, FNV_PRIME);
    second = Math.imul(second ^ unit, FNV_PRIME);
  }
  return `W/"${snapshotId}-${hex(first)}${hex(second)}"`;
}

/** Whether an If-None-Match header is `*`: whatever data there are, the client has them. */
export function namesAnyEntity(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*';
}

/** Whether an If-None-Match header names this tag, in a list of them, compared weakly (RFC 9110, 13.1.2). */
export function namesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  // A foreign tag may hold a comma; its halves lack a quotation mark and so equal no tag of ours.
  return ifNoneMatch.split(',').some((candidate) => opaque(candidate.trim()) === opaque(tag));
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
