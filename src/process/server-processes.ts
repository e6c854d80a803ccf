/** The processes that serve the API, as the supervisor deals with them: itself alone, or workers. */
import type { MetricValues } from '../admin/process-metrics.js';
import type { ProcessesState, ServedSnapshot } from '../admin/server-state.js';
import type { SnapshotProcesses } from '../snapshots/integrity-check.js';

export interface ServerProcesses extends SnapshotProcesses {
  readonly host: string;
  /** The port it listens on, also where the settings left the choice to the system. */
  readonly port: number;
  /** What every process serves; while a swap goes on, the earlier snapshot. */
  snapshot(): ServedSnapshot;
  /** For how long no process has served: 0 while one does. */
  unservedMs(): number;
  state(): Promise<ProcessesState>;
  /** Of each process. */
  metrics(): Promise<readonly MetricValues[]>;
  /** Resolves when requests under way have been answered and key stores are closed. */
  stop(): Promise<void>;
}
