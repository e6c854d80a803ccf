/** Types of server-process.mjs for the checks, which are TypeScript. */

export interface ServerProcess {
  readonly port: number;
  readonly key: string;
  /** From the spawn to the first answer. */
  readonly startSeconds: number;
  get(path: string): Promise<{ readonly status: number; readonly body: Buffer }>;
  /** Memory that is the process' alone. Linux only. */
  privateBytes(): number;
  stop(): Promise<void>;
}

export function startServer(options: {
  readonly snapshot: string;
  /** An existing folder to keep the key store in. */
  readonly folder: string;
  readonly core?: number;
  readonly key?: string;
}): Promise<ServerProcess>;
