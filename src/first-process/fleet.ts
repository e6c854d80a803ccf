/** The processes that serve, as the first process deals with them: itself alone, or workers. */
import type { MetricValues } from '../operators/process-metrics.js';
import type { FleetState, ServedSnapshot } from '../operators/server-state.js';
import type { SnapshotServers } from '../releases/served-check.js';

export interface Fleet extends SnapshotServers {
  readonly host: string;
  /** The port it listens on, also where the settings left the choice to the system. */
  readonly port: number;
  /** What every process serves; while a swap goes on, the earlier snapshot. */
  snapshot(): ServedSnapshot;
  /** For how long no process has served: 0 while one does. */
  unservedMs(): number;
  state(): Promise<FleetState>;
  /** Of each process. */
  metrics(): Promise<readonly MetricValues[]>;
  /** Resolves when requests under way have been answered and key stores are closed. */
  stop(): Promise<void>;
}
