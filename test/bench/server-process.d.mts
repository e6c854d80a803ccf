/** Types of server-process.mjs for the checks, which are TypeScript. */

export interface ServerProcess {
  readonly port: number;
  readonly key: string;
  /** From the spawn to the first answer. */
  readonly startSeconds: number;
  get(path: string): Promise<{ readonly status: number; readonly body: Buffer }>;
  /** The process' private memory without the snapshot's pages, and those. Linux only. */
  memory(): { readonly ownBytes: number; readonly mappedFileBytes: number };
  stop(): Promise<void>;
}

export function startServer(options: {
  readonly snapshot: string;
  /** The folder of a key store, or the address of a Redis. */
  readonly store: string;
  readonly core?: number;
  readonly key?: string;
}): Promise<ServerProcess>;
