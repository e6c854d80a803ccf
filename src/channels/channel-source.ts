/** Where a channel is read from: a host over HTTP, or a folder such as that of a USB disk. Nothing of it is trusted. */

/** Text of a file, with what a later request says it has. */
export interface SourceText {
  readonly text: string;
  readonly etag: string | null;
}

export interface ChannelSource {
  /** An address or a path, as in messages. */
  readonly name: string;
  /**
   * The text of a file of at most `maxBytes`; "unchanged" where it still has `etag`. Throws ChannelError HOST_FAILED,
   * also where the file is longer.
   */
  readText(path: string, maxBytes: number, etag?: string | null): Promise<SourceText | 'unchanged'>;
  /** The pieces of a file of exactly this length. Throws ChannelError HOST_FAILED. */
  readInPieces(path: string, length: number): AsyncIterable<Uint8Array>;
}
