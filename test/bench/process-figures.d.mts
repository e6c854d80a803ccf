/** Types of process-figures.mjs for the checks, which are TypeScript. */
export interface ProcessMemory {
  readonly ownBytes: number;
  readonly snapshotBytes: number;
}

export function memoryOf(pid: number): ProcessMemory;
export function mappedSnapshotCount(pid: number): number;
export function childrenOf(pid: number): number[];
export function cpuSecondsOfTrees(pids: readonly number[]): number;
