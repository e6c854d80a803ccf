/** The name of a release without dates (text files, whose dates a copy would not keep): a checksum of its content. */

import { checksumOf } from '../../src/core/snapshot/header.js';
import type { Section } from '../../src/core/snapshot/manifest.js';

/** `sections` are those of the snapshot of the release. */
export function contentName(sections: readonly Section[]): string {
  const checksums = Uint32Array.from(sections, ({ checksum }) => checksum);
  return `content-${checksumOf(new Uint8Array(checksums.buffer)).toString(16).padStart(8, '0')}`;
}
