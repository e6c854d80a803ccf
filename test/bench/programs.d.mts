/** Types of programs.mjs for the checks, which are TypeScript. */
import type { ProcessMemory } from '../fixtures/process-figures.mjs';

export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  readonly key: string;
  /** From the spawn to the first answer. */
  readonly startSeconds: number;
  get(
    path: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly rawHeaders: readonly string[]; readonly body: Buffer }>;
  memory(): ProcessMemory;
  stop(): Promise<void>;
}

export function startServer(options: {
  readonly snapshot: string;
  /** The folder of a key store, or the address of a Redis. */
  readonly store: string;
  readonly core?: number;
  readonly workers?: number;
  readonly key?: string;
  /** Of the environment. */
  readonly variables?: Readonly<Record<string, string>>;
}): Promise<ServerProcess>;
