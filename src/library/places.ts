/** An opened snapshot: the lookups, the events of a watched one, and its end. */

import { EventEmitter } from 'node:events';
import type { Release } from '../../clients/typescript/src/types.js';
import { parseJson } from '../core/snapshot/parse-json.js';
import type { OpenError } from './errors.js';
import { Lookups } from './lookups.js';

type Lookup = Readonly<Record<string, unknown>>;

/** A snapshot as `Places` use it. */
export interface PlacesSource {
  /**
   * What `read` makes of the text of an answer; undefined for what does not exist. Throws InvalidArgumentError, ClosedError,
   * DamagedError.
   */
  readonly find: <T>(operation: string, parameters: Lookup, read: (text: string) => T) => T | undefined;
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
  /** The same lookups, which return the exact text that the server sends: as `data`, or in the format of the lookup. */
  readonly json: Lookups<true>;
  readonly #source: PlacesSource;
  readonly #events = new EventEmitter();
  #closing: Promise<void> | undefined;

  /** @internal Use `open`. */
  constructor(source: PlacesSource) {
    super((operation, parameters) =>
      source.find(operation, parameters, (text) => (parameters.format === 'csv' ? text : parseJson(text))),
    );
    this.json = new Lookups<true>((operation, parameters) => source.find(operation, parameters, (text) => text));
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
