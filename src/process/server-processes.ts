/** The processes that serve the API: this process alone, or workers. */
import type { MetricValues } from '../admin/process-metrics.js';
import type { ProcessesState, ServedSnapshot } from '../admin/server-state.js';
import type { SnapshotProcesses } from '../snapshots/integrity-check.js';

export interface ServerProcesses extends SnapshotProcesses {
  readonly host: string;
  /** The actual port, also if PORT is 0. */
  readonly port: number;
  /** The snapshot that every process serves; during a swap, the earlier one. */
  snapshot(): ServedSnapshot;
  /** Milliseconds since a process last served; 0 while one serves. */
  unservedMs(): number;
  state(): Promise<ProcessesState>;
  /** Of each process. */
  metrics(): Promise<readonly MetricValues[]>;
  /** Drains requests and closes the key stores. */
  stop(): Promise<void>;
}
