/**
 * Opens a snapshot for the library: a file, a folder of published snapshots, or the data in the package. The folder's
 * rules are those of the server: where `current` names a damaged file, the newest undamaged snapshot is opened.
 */

import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Release } from '../../clients/typescript/src/types.js';
import { ExpectedError, explain, messageOf, StartError } from '../base/errors.js';
import { SnapshotError } from '../core/snapshot/snapshot-error.js';
import { service } from '../core/use-cases/service.js';
import { type CurrentSnapshot, openCurrentSnapshot, openFromSource } from '../releases/current-snapshot.js';
import { starterSnapshot } from '../releases/find-snapshot.js';
import { type PinnedSnapshot, unmapSoon } from '../releases/pinned-snapshot.js';
import { ClosedError, InvalidArgumentError, OpenError } from './errors.js';
import { findText, Lookups } from './lookups.js';

/* The snapshot that comes with the package. */

/** Its path; `root` is the folder of the package. Throws OpenError NO_PACKAGED_DATA. */
export function packagedSnapshot(root?: string): string {
  const path = starterSnapshot(root);
  if (existsSync(path)) return path;
  throw new OpenError(`this installation has no data of its own (${path} is missing); name a snapshot`, {
    code: 'NO_PACKAGED_DATA',
  });
}

/* An opened snapshot: the lookups, the events of a watched one, and its end. */

/** A snapshot as `Places` use it. */
export interface PlacesSource {
  /** The JSON text of an answer; undefined for what does not exist. Throws InvalidArgumentError, ClosedError. */
  readonly findText: (operation: string, parameters: Readonly<Record<string, unknown>>) => string | undefined;
  /** Ends the watch and lets the memory go. */
  close(): Promise<void>;
}

/** The listeners of events. */
export interface PlacesEvents {
  /** Another snapshot is in use. */
  release: (release: Release) => void;
  /** A new snapshot was refused, or the one in use is damaged; the one in use stays in use. */
  error: (error: OpenError) => void;
}

export class Places extends Lookups<false> {
  /** The same lookups, which return the exact JSON text that the server sends as `data`. */
  readonly json: Lookups<true>;
  readonly #source: PlacesSource;
  readonly #events = new EventEmitter();
  #closing: Promise<void> | undefined;

  /** @internal Use `open`. */
  constructor(source: PlacesSource) {
    super((operation, parameters) => {
      const text = source.findText(operation, parameters);
      return text === undefined ? undefined : JSON.parse(text);
    });
    this.json = new Lookups<true>(source.findText);
    this.#source = source;
  }

  /** Adds a listener; events come only from a snapshot that is watched. An error without a listener is a warning. */
  on<Name extends keyof PlacesEvents>(event: Name, listener: PlacesEvents[Name]): this {
    this.#events.on(event, listener);
    return this;
  }

  /** Removes a listener. */
  off<Name extends keyof PlacesEvents>(event: Name, listener: PlacesEvents[Name]): this {
    this.#events.off(event, listener);
    return this;
  }

  /**
   * Ends the use of the snapshot: every later lookup throws ClosedError. Resolves when the watch has ended; there is no
   * need to wait for it.
   */
  close(): Promise<void> {
    this.#closing ??= this.#source.close();
    return this.#closing;
  }

  /** @internal Tells listeners of another release. */
  tellRelease(): void {
    // A listener's own error must not look like a fault of the snapshot.
    process.nextTick(() => {
      if (this.#closing === undefined && this.#events.listenerCount('release') > 0) {
        this.#events.emit('release', this.release);
      }
    });
  }

  /** @internal */
  tellError(error: OpenError): void {
    process.nextTick(() => {
      if (this.#closing !== undefined) return;
      if (this.#events.listenerCount('error') > 0) this.#events.emit('error', error);
      else process.emitWarning(error.message, { type: error.name, code: error.code });
    });
  }
}

export interface OpenOptions {
  /**
   * Follows the file, or the folder's `current`, from release to release: a new snapshot is checked, then used by the
   * same object. Default: false.
   */
  readonly watch?: boolean | undefined;
}

/** Opens a snapshot; without a path the data in the package. Rejects with OpenError, InvalidArgumentError. */
export async function open(path?: string, { watch = false }: OpenOptions = {}): Promise<Places> {
  checkPath(path);
  const source = path === undefined ? packagedSnapshot() : resolve(path);
  const { live: first, pinned } = await openSource(source, ({ path: file, reason }, message) => {
    places.tellError(new OpenError(`${file}: ${message}: ${reason}`));
  });
  // Undefined once the places are closed: nothing must refer to the snapshot then, or it stays mapped.
  let live: CurrentSnapshot | undefined = first;
  let stopWatching: (() => Promise<void>) | undefined;
  const places = new Places({
    findText(operation, parameters) {
      if (live === undefined) throw new ClosedError();
      return findText(live.current(), operation, parameters);
    },
    async close() {
      const [last, stop] = [live, stopWatching];
      [live, stopWatching] = [undefined, undefined];
      await stop?.();
      if (last !== undefined) unmapSoon(last.current());
    },
  });
  // Without a watch the mapping keeps the file open and locked by itself.
  if (watch) stopWatching = (await import('./watch.js')).watchSource(source, first, pinned, places);
  else pinned.release();
  return places;
}

/** Programs without types may pass anything, such as an empty setting, which must not stand for the current folder. */
function checkPath(path: unknown): void {
  if (path === undefined || (typeof path === 'string' && path !== '')) return;
  const expected = 'a path as text, or undefined for the data in the package';
  const message = `path must be ${expected}`;
  throw new InvalidArgumentError(message, [{ param: 'path', message, expected }]);
}

interface OpenedSource {
  readonly live: CurrentSnapshot;
  readonly pinned: PinnedSnapshot;
}

/** Is told of a list of changes that is not usable, when it is read. */
type TellProblem = (fields: { readonly path?: string; readonly reason?: string }, message: string) => void;

async function openSource(source: string, warn: TellProblem): Promise<OpenedSource> {
  const logger = { info() {}, warn, error: warn };
  try {
    return await openFromSource(source, async (pinned) => {
      const open = (): Promise<CurrentSnapshot> => openCurrentSnapshot(pinned.openPath, service, { logger });
      return { pinned, live: await explain('SNAPSHOT', [SnapshotError, ExpectedError], open) };
    });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new OpenError(`can't open ${source}: ${messageOf(error.cause)}`, { cause: error.cause });
  }
}
