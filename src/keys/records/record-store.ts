/**
 * Records: small JSON objects that must not be lost and that several processes change at once, such as accounts,
 * sign-in codes and sessions. A record is found by its kind and id, or by one of its names. A write is a list of
 * changes that is atomic over all its records. It changes a record only if the record is unchanged since it was read,
 * so a write never overwrites another process's change. Records live where API keys live, in the embedded store's
 * folder or in Redis; both stores keep this contract. If the place fails, the error is a KeyStoreError, as for keys.
 *
 *     const code = await records.findByName('code', digest);
 *     if (code === undefined) throw …;
 *     await records.write([{ delete: code }, { create: { kind: 'session', id, value, names: [token], expiresMs } }]);
 *
 * Of two processes that use the code at once, one makes its session and the second gets RECORD_CHANGED.
 */

import { randomBytes } from 'node:crypto';
import { ExpectedError } from '../../base/errors.js';
import { UNPRINTABLE } from '../../base/escape-text.js';
import { KeyStoreError } from '../storage/key-store-error.js';

/** The kind and id of a record. Two records of different kinds may have the same id, or the same names. */
export interface RecordAddress {
  /** 1 to 32 characters of a-z, 0-9 and "-", the first a letter. */
  readonly kind: string;
  /** 1 to 512 bytes of UTF-8, none of them a control character or half of a surrogate pair. */
  readonly id: string;
}

/** The content of a record. */
export interface RecordContent {
  /** As JSON an object of at most 64 KiB. */
  readonly value: object;
  /**
   * At most 8, of the form of an id, each leading to this record alone of its kind. They are compared byte for byte: a
   * caller that wants "Ada" and "ada" to be one name folds them.
   */
  readonly names: readonly string[];
  /**
   * The last instant at which the record is there, in milliseconds since 1970-01-01T00:00Z, or null for no end. An
   * ended record is not found or listed, and its id and names are free. Redis goes by its own clock, the embedded store
   * by that of the machine.
   */
  readonly expiresMs: number | null;
}

/** A record as it was read. */
export interface StoredRecord extends RecordAddress, RecordContent {
  readonly value: Readonly<Record<string, unknown>>;
  /** Identifies this state of the record: random, and different for every write. */
  readonly version: string;
}

/**
 * One change of a write. The caller passes the record that it read; the write fails if the record has changed since.
 */
export type RecordChange =
  /** Creates a record, if no record has this id. */
  | { readonly create: RecordAddress & RecordContent }
  /** Gives a record another content: value, names and end. */
  | { readonly change: StoredRecord; readonly to: RecordContent }
  | { readonly delete: StoredRecord }
  /** Changes nothing; the write fails if the record has changed. */
  | { readonly require: StoredRecord };

export interface RecordStore {
  /** Where the records are, for errors and logs: a folder, or an address without its password. */
  readonly place: string;
  /** Rejects with RecordError where the address can be no record's, and with KeyStoreError. */
  get(kind: string, id: string): Promise<StoredRecord | undefined>;
  /** The record of this kind that has the name. Rejects like `get`. */
  findByName(kind: string, name: string): Promise<StoredRecord | undefined>;
  /**
   * All records of a kind, ordered by the UTF-8 bytes of their ids. They are read some at a time, so others wait for a
   * few of them at most; a record that is made, changed or deleted meanwhile may be shown as before or as after.
   * Rejects like `get`; with `onDamaged`, a damaged record is reported there and left out.
   */
  list(kind: string, onDamaged?: (error: KeyStoreError) => void): Promise<StoredRecord[]>;
  /**
   * Makes 1 to 100 changes, of as many records, as one step, and resolves with the version that it gave the records
   * which it made and changed. A name is free for one of these records where another gives it up in the same write.
   * Rejects with RecordError, and nothing was changed; with KeyStoreError, and nothing was changed, unless its code is
   * KEY_STORE_UNSURE: then all was changed or nothing.
   */
  write(changes: readonly RecordChange[]): Promise<string>;
}

export type RecordErrorCode =
  /** A record with this id is there already, or another record has one of the names. */
  | 'RECORD_EXISTS'
  /** The record is not as it was read, or no longer there. */
  | 'RECORD_CHANGED'
  /** Something that no store takes: a kind, id, name, value or end that is out of bounds, or one record named twice. */
  | 'RECORD_INVALID';

/** Why a write or read was refused by a working store. The message contains no name of a record. */
export class RecordError extends ExpectedError {
  override readonly name = 'RecordError';

  constructor(
    readonly code: RecordErrorCode,
    message: string,
    /** The index of the refused change of a write; null for a read. */
    readonly changeIndex: number | null = null,
  ) {
    super(message);
  }
}

/** A record that is not as it was written, or no longer where it was written. */
export class DamagedRecordError extends KeyStoreError {
  constructor(
    { code, found, remedy, cause }: KeyStoreError,
    readonly address: RecordAddress,
    /** The first name of the record, where it has one and that is known. The message does not contain it. */
    readonly recordName: string | undefined,
  ) {
    super(code, found, remedy, cause);
  }
}

/** Creates a record unless its id or one of its names is taken. Rejects like `write`. */
export async function createRecordIfMissing(
  records: RecordStore,
  create: RecordAddress & RecordContent,
): Promise<void> {
  await records.write([{ create }]).catch((error) => {
    if (!(error instanceof RecordError && error.code === 'RECORD_EXISTS')) throw error;
  });
}

/** Maximum number of attempts: far more than the processes that write the same record at once. */
const ATTEMPTS = 100;

/**
 * Runs `attempt`, which reads and changes records, and repeats it while other processes change these records first. For
 * an attempt that creates records, `repeated` also has RECORD_EXISTS. Rejects with KeyStoreError after 100 attempts.
 */
export async function untilRecordsUnchanged<T>(
  attempt: () => Promise<T>,
  repeated: readonly RecordErrorCode[] = ['RECORD_CHANGED'],
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RecordError && repeated.includes(error.code))) throw error;
      if (count === ATTEMPTS) throw error.code === 'RECORD_CHANGED' ? contended(error) : error;
    }
  }
}

function contended(error: RecordError): KeyStoreError {
  return new KeyStoreError('KEY_STORE_FAILED', `${error.message} and is changed by others all the time`, 'try again');
}

/** For attempts that make records. */
export const CHANGED_OR_EXISTS: readonly RecordErrorCode[] = ['RECORD_CHANGED', 'RECORD_EXISTS'];

/* Checks the kind, id, names, value and end of a record against the bounds above. */

const KIND_FORM = /^[a-z][a-z0-9-]{0,31}$/;
export const LABEL_BYTES_LIMIT = 512;
const NAMES_LIMIT = 8;
export const VALUE_BYTES_LIMIT = 65_536;
/** The last instant that Date knows. */
const LAST_INSTANT_MS = 8.64e15;

/** Whether the value can be an id or a name. */
export function isRecordLabel(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    // A character has at least one byte: a far too long text is not scanned.
    value.length <= LABEL_BYTES_LIMIT &&
    Buffer.byteLength(value) <= LABEL_BYTES_LIMIT &&
    !UNPRINTABLE.test(value)
  );
}

/** Whether the value can be the end of a record. */
function isRecordEnd(value: unknown): value is number | null {
  return value === null || (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_INSTANT_MS);
}

/** Throws RecordError. */
export function checkRecordKind(kind: string): void {
  if (KIND_FORM.test(kind)) return;
  throw invalidRecordError('the kind of a record must be 1 to 32 characters of a-z, 0-9 and "-", the first a letter');
}

/** Checks an id or a name; `what` is its name in the message. Throws RecordError. */
export function checkRecordLabel(what: 'id' | 'name', label: string): void {
  if (isRecordLabel(label)) return;
  throw invalidRecordError(
    `the ${what} of a record must be 1 to ${LABEL_BYTES_LIMIT} bytes without control characters`,
  );
}

/** Throws RecordError. */
function checkRecordNames(names: readonly string[]): void {
  if (names.length > NAMES_LIMIT) throw invalidRecordError(`a record has at most ${NAMES_LIMIT} names`);
  for (const name of names) checkRecordLabel('name', name);
  if (new Set(names).size < names.length) throw invalidRecordError('a record has each of its names once');
}

/** Throws RecordError. */
function checkRecordEnd(expiresMs: number | null): void {
  if (!isRecordEnd(expiresMs))
    throw invalidRecordError('the end of a record must be a whole number of milliseconds since 1970, or null');
}

/** The value as JSON. Throws RecordError. */
function encodeValue(value: object): string {
  const text = stringify(value);
  // An array, or an object with toJSON such as a date, need not become a JSON object.
  if (text?.[0] !== '{') throw invalidRecordError('the value of a record must be an object that JSON can hold');
  if (Buffer.byteLength(text) > VALUE_BYTES_LIMIT) {
    throw invalidRecordError(`the value of a record must be at most ${VALUE_BYTES_LIMIT} bytes of JSON`);
  }
  return text;
}

/** JSON.stringify throws on cycles, bigints and too deep nesting. */
function stringify(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function invalidRecordError(message: string): RecordError {
  return new RecordError('RECORD_INVALID', message);
}

/*
 * A record as the text that both stores keep of it:
 *
 *     <version, 32 hexadecimal digits>[<names>,<expiresMs>,<value>]
 *
 *     7f3a0c5e91d24b68a0f1c2d3e4b59687[["ada@example.org"],null,{"plan":"free"}]
 *     └──────────────────── the head ─────────────────────┘
 *
 * JSON without spaces follows the version. The head ends after the names. A record is unchanged since it was read if
 * its head is equal byte for byte, which a script in Redis can compare too. The head contains the names as well as the
 * version, so the names that a writer frees are certainly the names of the record.
 */

const VERSION_BYTES = 16;
/** Number of characters before the JSON. */
export const VERSION_LENGTH = 2 * VERSION_BYTES;
const VERSION_FORM = new RegExp(`^[0-9a-f]{${VERSION_LENGTH}}$`);

export function createRecordVersion(): string {
  return randomBytes(VERSION_BYTES).toString('hex');
}

/** `value` is JSON text already. */
export function encodeRecord(version: string, { names, expiresMs }: RecordContent, value: string): string {
  return `${recordHeadOf({ version, names })}${expiresMs},${value}]`;
}

/** The start of the record's text while the record is unchanged. */
export function recordHeadOf({ version, names }: Pick<StoredRecord, 'version' | 'names'>): string {
  return `${version}[${JSON.stringify(names)},`;
}

/** The record with this text, or undefined if the text is not a record. */
export function decodeRecord({ kind, id }: RecordAddress, text: string): StoredRecord | undefined {
  const version = text.slice(0, VERSION_LENGTH);
  const content = parseJson(text.slice(VERSION_LENGTH));
  if (!VERSION_FORM.test(version) || !Array.isArray(content) || content.length !== 3) return undefined;
  const [names, expiresMs, value] = content;
  const isSound = Array.isArray(names) && names.every(isRecordLabel) && isRecordEnd(expiresMs) && isObject(value);
  return isSound ? { kind, id, version, names, expiresMs, value } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/*
 * A write as both stores execute it: for each change, a condition on the record and its outcome. A planned write
 * contains each record once and each new name once, so the order of its changes does not matter.
 */

export interface PlannedWrite {
  /** The new version of the created and changed records. It also identifies a write that is sent more than once. */
  readonly version: string;
  readonly changes: readonly PlannedChange[];
}

export interface PlannedChange extends RecordAddress {
  /** The required start of the record's text; null if the record must not exist. */
  readonly head: string | null;
  /** The names of the record before the write; its outcome may take some of them again. */
  readonly freedNames: readonly string[];
  readonly outcome: PlannedRecord | 'deleted' | 'unchanged';
}

export interface PlannedRecord {
  readonly text: string;
  readonly names: readonly string[];
  readonly expiresMs: number | null;
}

const CHANGES_LIMIT = 100;

/** Throws RecordError, RECORD_INVALID. */
export function planRecordWrite(changes: readonly RecordChange[]): PlannedWrite {
  if (changes.length < 1 || changes.length > CHANGES_LIMIT) {
    throw invalidRecordError(`a write is 1 to ${CHANGES_LIMIT} changes`);
  }
  const version = createRecordVersion();
  const seen = new Set<string>();
  const once = (what: string, kind: string, label: string): void => {
    const key = `${what}:${kind}:${label}`;
    if (seen.has(key)) throw invalidRecordError(`a write must not say twice what becomes of the same ${what}`);
    seen.add(key);
  };
  const planned = changes.map((change, index) => {
    try {
      const plan = planChange(change, version);
      once('record', plan.kind, plan.id);
      if (typeof plan.outcome === 'object') for (const name of plan.outcome.names) once('name', plan.kind, name);
      return plan;
    } catch (error) {
      throw error instanceof RecordError ? new RecordError(error.code, error.message, index) : error;
    }
  });
  return { version, changes: planned };
}

function planChange(change: RecordChange, version: string): PlannedChange {
  if ('create' in change) {
    const { kind, id } = checkAddress(change.create);
    return { kind, id, head: null, freedNames: [], outcome: planRecord(version, change.create) };
  }
  const record = 'change' in change ? change.change : 'delete' in change ? change.delete : change.require;
  const { kind, id } = checkAddress(record);
  checkRecordNames(record.names);
  const head = recordHeadOf(record);
  if ('require' in change) return { kind, id, head, freedNames: [], outcome: 'unchanged' };
  const outcome = 'change' in change ? planRecord(version, change.to) : 'deleted';
  return { kind, id, head, freedNames: record.names, outcome };
}

function planRecord(version: string, content: RecordContent): PlannedRecord {
  const { names, expiresMs, value } = content;
  checkRecordNames(names);
  checkRecordEnd(expiresMs);
  return { text: encodeRecord(version, content, encodeValue(value)), names: [...names], expiresMs };
}

function checkAddress({ kind, id }: RecordAddress): RecordAddress {
  checkRecordKind(kind);
  checkRecordLabel('id', id);
  return { kind, id };
}

/** Why a change of a planned write was refused. */
export type Refusal = 'id taken' | 'name taken' | 'changed';

export function refusedChange({ kind, id }: RecordAddress, index: number, refusal: Refusal): RecordError {
  const which = `the ${kind} ${JSON.stringify(id)}`;
  if (refusal === 'changed') return new RecordError('RECORD_CHANGED', `${which} is not as it was read`, index);
  const why = refusal === 'id taken' ? `${which} is there already` : `another record has a name of ${which}`;
  return new RecordError('RECORD_EXISTS', why, index);
}
