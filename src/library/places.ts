/** An opened snapshot: the lookups, the events of a watched one, and its end. */

import { EventEmitter } from 'node:events';
import type { Release } from '../../clients/typescript/src/types.js';
import { parseJson } from '../core/snapshot/parse-json.js';
import type { OpenError } from './errors.js';
import { createLookups, type Lookups } from './lookups.js';

/** The listeners of events. */
export interface PlacesEvents {
  /** Another snapshot is in use. */
  release: (release: Release) => void;
  /** A new snapshot was refused, or the one in use is damaged; the one in use stays in use. */
  error: (error: OpenError) => void;
}

export interface Places extends Lookups<false> {
  /** The same lookups, which return the exact text that the server sends: as `data`, or in the format of the lookup. */
  readonly json: Lookups<true>;
  /** Adds a listener; events come only from a snapshot that is watched. An error without a listener is a warning. */
  on<Name extends keyof PlacesEvents>(event: Name, listener: PlacesEvents[Name]): this;
  /** Removes a listener. */
  off<Name extends keyof PlacesEvents>(event: Name, listener: PlacesEvents[Name]): this;
  /**
   * Ends the use of the snapshot: every later lookup throws ClosedError. Resolves when the watch has ended; there is no
   * need to wait for it.
   */
  close(): Promise<void>;
}

/** @internal A snapshot as places use it. */
export interface PlacesSource {
  /** What `read` makes of the text of an answer; undefined for what does not exist. */
  readonly find: <T>(
    operation: string,
    parameters: Readonly<Record<string, unknown>>,
    read: (text: string) => T,
  ) => T | undefined;
  /** Ends the watch and lets the memory go. */
  close(): Promise<void>;
}

/** @internal What a watch tells the listeners. */
export interface PlacesTeller {
  /** Another release is in use. */
  tellRelease(): void;
  tellError(error: OpenError): void;
}

/** @internal */
export function createPlaces(source: PlacesSource): { readonly places: Places; readonly teller: PlacesTeller } {
  const events = new EventEmitter();
  let closing: Promise<void> | undefined;
  const lookups = createLookups<false>((operation, parameters) =>
    source.find(operation, parameters, (text) => (parameters.format === 'csv' ? text : parseJson(text))),
  );
  const places: Places = Object.assign(lookups, {
    json: createLookups<true>((operation, parameters) => source.find(operation, parameters, (text) => text)),
    on(event: string, listener: PlacesEvents[keyof PlacesEvents]) {
      events.on(event, listener);
      return places;
    },
    off(event: string, listener: PlacesEvents[keyof PlacesEvents]) {
      events.off(event, listener);
      return places;
    },
    close() {
      closing ??= source.close();
      return closing;
    },
  });
  // A listener's own error must not look like a fault of the snapshot.
  const tell = (act: () => void): void => process.nextTick(() => closing === undefined && act());
  return {
    places,
    teller: {
      tellRelease: () => tell(() => events.listenerCount('release') > 0 && events.emit('release', places.release)),
      tellError: (error) =>
        tell(() => {
          if (events.listenerCount('error') > 0) events.emit('error', error);
          else process.emitWarning(error.message, { type: error.name, code: error.code });
        }),
    },
  };
}
