/**
 * The served snapshot. A request calls `current()` once and uses that snapshot to its end. No readers are counted: the
 * garbage collector unmaps a snapshot after the last request that used it.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runCooperatively, type Steps } from '../base/cooperative.js';
import { explain, messageOf, StartError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { INCLUDED_FIELDS } from '../core/answers/place-detail.js';
import { MAX_FOUND_COUNTRIES, MAX_POSTCODE_PLACES } from '../core/answers/postcodes.js';
import { type ResponseData, readResponseData } from '../core/answers/response-data.js';
import type { Service } from '../core/answers/service.js';
import { DomainError } from '../core/lookup/domain-error.js';
import { REVERSE_RADIUS_KM } from '../core/lookup/reverse.js';
import { foldText } from '../core/snapshot/fold-text.js';
import { parseJson } from '../core/snapshot/parse-json.js';
import { LEVEL_COUNT } from '../core/snapshot/place-tree.js';
import { normalizePostcode } from '../core/snapshot/postcode-spelling.js';
import type { PlaceResource } from '../core/snapshot/rendered-places.js';
import { openSnapshotCooperatively, type Snapshot } from '../core/snapshot/snapshot.js';
import { DamagedSnapshotError, ProbeError, SnapshotError } from '../core/snapshot/snapshot-error.js';
import { ChangesLists } from './changes-lists.js';
import {
  findOtherSnapshots,
  findSnapshot,
  type PinnedSnapshot,
  pinSnapshot,
  type SnapshotLocation,
} from './find-snapshot.js';
import { checkSnapshotFile, findDamage, type SnapshotProcesses } from './integrity-check.js';

/*
 * Probes a snapshot before it is served, with a few calls of every use case: for some countries from the top level down
 * to a leaf, and then the leaf by its id, path, postal code, name and position. The probe takes a few milliseconds and
 * brings the first pages into memory.
 */

/** The probed countries, as shares of the list of all that have places: the first, the middle and the last. */
const PROBED_COUNTRIES = [0, 0.5, 1];
/** Maximum number of places of a level that are tried until one has children or a postal code. */
const LISTED = 50;
/** Radius in kilometres in which a place's own position has a place nearby. */
const SAME_PLACE_KM = 0.01;

type Detail = PlaceResource & { readonly childCount: number };
interface Page {
  readonly items: readonly PlaceResource[];
}

/** Rejects with ProbeError if an answer is missing or wrong. Requests are answered meanwhile. */
export function probeSnapshot(snapshot: Snapshot, service: Service): Promise<void> {
  return runCooperatively(probeInSteps(snapshot, service));
}

function* probeInSteps(snapshot: Snapshot, service: Service): Steps<void> {
  let question = 'countries';
  const ask = <T>(name: keyof Service, input: object, where: string): T => {
    question = `${name} of ${where}`;
    const useCase = service[name] as (snapshot: Snapshot, input: object) => ResponseData;
    return parseJson(readResponseData(useCase(snapshot, input))) as T;
  };
  const expect = (isRight: boolean): void => {
    if (!isRight) throw new Error('the answer is wrong');
  };

  /** The first place of a page that has children or a postal code: a city of the gazetteer has neither. */
  const choose = (country: string, { items }: Page): Detail => {
    for (const { id } of items) {
      const place = ask<Detail>('getPlace', { country, id }, country);
      if (place.childCount > 0 || place.postalCode !== null) return place;
    }
    return ask<Detail>('getPlace', { country, id: items[0]?.id }, country);
  };

  function* probeCountry(country: string): Steps<void> {
    expect(ask<{ code: string }>('getCountry', { country }, country).code === country);
    const list = { country, page: 1, pageSize: LISTED };
    let place = choose(country, ask<Page>('listPlaces', { ...list, level: 1 }, country));
    for (let level = 1; place.childCount > 0 && level < LEVEL_COUNT; level++) {
      place = choose(country, ask<Page>('listChildren', { ...list, id: place.id }, country));
      yield;
    }
    const { id, path, name, latitude: lat, longitude: lng } = place;
    expect(ask<Detail>('resolvePath', { country, segments: path.slice(1).split('/') }, country).id === id);
    const facts = ask<object>('getPlace', { country, id, include: INCLUDED_FIELDS }, country);
    expect(INCLUDED_FIELDS.every((field) => field in facts));
    if (place.postalCode === null) return;
    const postcode = normalizePostcode(place.postalCode);
    const { places } = ask<{ places: Detail[] }>('findPostcode', { country, postcode }, country);
    // Where more places have the code than are shown, the probed place may be left out.
    expect(places.length === MAX_POSTCODE_PLACES || places.some((found) => found.id === id));
    yield;
    expect(ask<{ match: string }>('checkPostcode', { country, postcode }, country).match === 'exact');
    const everywhere = ask<{ countryCode: string }[]>('findPostcodes', { postcode, country: undefined }, country);
    expect(everywhere.length === MAX_FOUND_COUNTRIES || everywhere.some(({ countryCode }) => countryCode === country));
    yield;
    const ofCity = { country, id, recipients: true, page: 1, pageSize: 1 };
    expect(ask<{ items: object[] }>('listPostcodes', ofCity, country).items.length === 1);
    yield;
    // A name of punctuation only can't be asked for.
    const query = foldText(name) === '' ? 'a' : name;
    const suggestions = ask<object[]>('autocomplete', { query, country, limit: 1 }, country);
    expect(suggestions.length === 1 || query !== name);
    // A place with coarse coordinates is not the nearest to them; it is among what is nearby.
    expect(ask<{ distanceKm: number }>('reverse', { lat, lng, country }, country).distanceKm <= REVERSE_RADIUS_KM);
    const around = { lat, lng, country: undefined, postcode: undefined, place: undefined, countries: [country] };
    const ofPoint = { ...around, radiusKm: SAME_PLACE_KM, limit: 1, types: ['locality', 'recipient'], by: 'place' };
    expect(ask<object[]>('nearby', ofPoint, country).length === 1);
    expect(
      ask<{ distanceKm: number }>('distance', { from: { country, id }, to: { country, id } }, country).distanceKm === 0,
    );
  }

  try {
    ask('listCountries', { hasPostcodes: undefined }, 'the world');
    const ofRelease = { since: snapshot.release, country: undefined, change: undefined, page: 1, pageSize: 1 };
    expect(ask<{ items: object[] }>('listChanges', ofRelease, snapshot.release).items.length === 0);
    yield;
    const codes = snapshot.countries
      .filter(({ structures }) => structures !== undefined)
      .map(({ entry }) => entry.code);
    const probed = PROBED_COUNTRIES.map((share) => codes[Math.round(share * (codes.length - 1))] ?? '');
    for (const country of new Set(probed)) yield* probeCountry(country);
  } catch (error) {
    // The message of a DomainError quotes the question, which is of texts of the file.
    const reason = error instanceof DomainError ? error.code : messageOf(error);
    throw new ProbeError(`${question}: ${reason}`, { cause: error });
  }
}

export interface CurrentSnapshot {
  current(): Snapshot;
  /**
   * Opens, probes and prepares a file, and serves it from then on. Rejects with SnapshotError or ExpectedError, and the
   * current one stays. To be called for one file at a time.
   */
  serve(path: string): Promise<void>;
}

/** What a program computes of a snapshot before it serves the snapshot. */
export type Prepare = (snapshot: Snapshot) => Steps<void>;

export interface OpenSettings {
  readonly prepare?: Prepare;
  /** Is told of lists of changes that are not usable. Without it no lists are looked for. */
  readonly logger?: Logger;
}

/** Opens `path` and serves it. Rejects with SnapshotError or ExpectedError. */
export async function openCurrentSnapshot(
  path: string,
  service: Service,
  settings: OpenSettings = {},
): Promise<CurrentSnapshot> {
  let current = await openPrepared(path, service, settings);
  return {
    current: () => current,
    async serve(path) {
      try {
        const next = await openPrepared(path, service, settings);
        unmapSoon(current);
        current = next;
      } catch (error) {
        collectGarbageSoon();
        throw error;
      }
    },
  };
}

/**
 * The SnapshotProcesses of a single process. `serve` makes it serve another file; if `serve` rejects, nothing has
 * changed.
 */
export function servePinned(
  first: PinnedSnapshot,
  serve: (path: string) => Promise<unknown>,
  failureCount: () => number,
): SnapshotProcesses {
  let pinned = first;
  return {
    get pinned() {
      return pinned;
    },
    servingCount: () => 1,
    failureCount,
    async swap(next) {
      await serve(next.openPath);
      // Requests that still use the earlier file read its mapping.
      pinned.release();
      pinned = next;
    },
  };
}

async function openPrepared(path: string, service: Service, { prepare, logger }: OpenSettings): Promise<Snapshot> {
  const opened = await openSnapshotCooperatively(path);
  const snapshot =
    logger === undefined ? opened : Object.freeze({ ...opened, changes: new ChangesLists(path, opened, logger) });
  await probeSnapshot(snapshot, service);
  if (prepare !== undefined) await runCooperatively(prepare(snapshot));
  return snapshot;
}

/*
 * Collects the garbage of a snapshot soon after the last request that used it. A mapping goes when its buffer is
 * collected, and V8, which sees a few kilobytes of heap behind the buffer, may take hours to collect it.
 */

type CollectGarbage = (options: { type: 'major'; execution: 'async' }) => Promise<void>;

/**
 * The first attempt comes when short requests are done, later attempts while longer requests go on. Opening another
 * snapshot lets V8 collect by itself, in smaller steps: in a row of swaps V8 comes before the first attempt.
 */
const PAUSES_MS = [5_000, 30_000, 120_000];

let collect: CollectGarbage | undefined;

/** Costs one collection of the heap, tens of milliseconds, in rounds of the event loop of its own. */
export function unmapSoon(snapshot: object): void {
  attempt(new WeakRef(snapshot), 0);
}

/** For a snapshot that failed while it was opened: there is no object to watch. */
export function collectGarbageSoon(): void {
  setTimeout(() => void collectGarbage(), PAUSES_MS[0]).unref();
}

function attempt(snapshot: WeakRef<object>, round: number): void {
  const pauseMs = PAUSES_MS[round];
  if (pauseMs === undefined) return;
  setTimeout(async () => {
    if (snapshot.deref() === undefined) return;
    await collectGarbage();
    attempt(snapshot, round + 1);
  }, pauseMs).unref();
}

function collectGarbage(): Promise<void> {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as CollectGarbage;
    setFlagsFromString('--no-expose-gc');
  }
  return collect({ type: 'major', execution: 'async' });
}

/*
 * Starts to serve the snapshot that the source names or, if that snapshot is damaged and the source is a folder, the
 * newest undamaged snapshot of the folder.
 */

/** `serve` must reject with StartError if it can't serve a snapshot. Throws StartError if no snapshot can be served. */
export async function openFromSource<Started>(
  source: string,
  serve: (pinned: PinnedSnapshot) => Promise<Started>,
): Promise<Started> {
  const location = await explain('SNAPSHOT', [Error], () => findSnapshot(source));
  try {
    return await pinAndServe(location, serve);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const others = othersOf(source, location);
    if (others.length > 0 && !(await isWhole(location))) {
      // The follower will log that the source names a damaged snapshot.
      for (const other of others) if (await isWhole(other)) return await pinAndServe(other, serve);
    }
    // Opening says itself what is wrong with a file.
    const damage = error.cause instanceof SnapshotError ? undefined : findDamage(location.path);
    if (damage === undefined) throw error;
    const cause = new DamagedSnapshotError(location.path, damage);
    throw new StartError(`SNAPSHOT: ${cause.message}`, { cause });
  }
}

function othersOf(source: string, { path }: SnapshotLocation): SnapshotLocation[] {
  try {
    return findOtherSnapshots(source, path);
  } catch {
    // A folder that this user can't list has no other snapshots: the start fails with its first error.
    return [];
  }
}

async function pinAndServe<Started>(
  location: SnapshotLocation,
  serve: (pinned: PinnedSnapshot) => Promise<Started>,
): Promise<Started> {
  const pinned = await explain('SNAPSHOT', [Error], () => pinSnapshot(location));
  try {
    return await serve(pinned);
  } catch (error) {
    pinned.release();
    throw error;
  }
}

async function isWhole({ path }: SnapshotLocation): Promise<boolean> {
  return await checkSnapshotFile(path, new AbortController().signal).then(
    () => true,
    () => false,
  );
}
