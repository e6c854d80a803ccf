/** The scene of the contract's tests: two stores over one storage, and a kind of record of its own for each test. */

import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type {
  RecordAddress,
  RecordContent,
  RecordStore,
  StoredRecord,
} from '../../../src/keys/records/record-store.js';

export interface OpenedRecords {
  readonly stores: readonly [RecordStore, RecordStore];
  nowMs(): number;
  /** Resolves when so much time has passed for the stores. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface RecordScene extends OpenedRecords {
  readonly store: RecordStore;
  readonly other: RecordStore;
  /** A kind that no other test uses. */
  readonly kind: string;
  /** Makes a record of that kind and reads it. */
  add(id: string, content?: Partial<RecordContent>): Promise<StoredRecord>;
  read(record: RecordAddress): Promise<StoredRecord>;
}

/** What a write makes an account of. */
export function newRecord(id: string, content: Partial<RecordContent> & { readonly kind?: string } = {}) {
  return { kind: 'account', id, value: {}, names: [`name of ${id}`], expiresMs: null, ...content };
}

/** Makes the account and reads it. */
export async function addRecord(
  store: RecordStore,
  id: string,
  content: Parameters<typeof newRecord>[1] = {},
): Promise<StoredRecord> {
  const create = newRecord(id, content);
  await store.write([{ create }]);
  return (await store.get(create.kind, id)) as StoredRecord;
}

let kindCount = 0;

export function newKind(): string {
  return `kind-${kindCount++}`;
}

/** Gives the tests of the enclosing `describe` one storage, opened by `open`. */
export function useRecordScene(open: () => Promise<OpenedRecords>): RecordScene {
  let opened: OpenedRecords;
  let kind = '';
  beforeAll(async () => {
    opened = await open();
  });
  beforeEach(() => {
    kind = newKind();
  });
  afterAll(() => opened?.close());
  const scene: RecordScene = {
    get stores() {
      return opened.stores;
    },
    get store() {
      return opened.stores[0];
    },
    get other() {
      return opened.stores[1];
    },
    get kind() {
      return kind;
    },
    nowMs: () => opened.nowMs(),
    pass: (ms) => opened.pass(ms),
    close: () => opened.close(),
    async add(id, content = {}) {
      const create = { kind, id, value: {}, names: [], expiresMs: null, ...content };
      await scene.store.write([{ create }]);
      return scene.read(create);
    },
    async read(record) {
      const found = await scene.other.get(record.kind, record.id);
      if (found === undefined) throw new Error(`there is no ${record.kind} ${record.id}`);
      return found;
    },
  };
  return scene;
}
