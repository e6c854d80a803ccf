/** What the first process asks a worker. */
import type { KeyStoreHealth } from '../keys/key-store.js';
import type { MetricValues } from '../operators/process-metrics.js';
import type { ServedSnapshot } from '../operators/server-state.js';

/** The variable that names the file a worker serves first: what SNAPSHOT names may be another file by now. */
export const SNAPSHOT_FILE = 'POSTAL_PLACES_SNAPSHOT_FILE';

/** See ServingProcess. */
export interface WorkerQuestions {
  serve(path: string): Promise<ServedSnapshot>;
  stopListening(): void;
  keyStore(): KeyStoreHealth;
  metrics(): Promise<MetricValues>;
}

/** What a worker answers to its start, once it listens. */
export interface WorkerStart {
  readonly host: string;
  readonly snapshot: ServedSnapshot;
}
