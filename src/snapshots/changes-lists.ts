/**
 * Finds the lists of changes that lead to a snapshot: the one beside its file, and from there each time the one beside
 * the snapshot of the release before. A list names that snapshot, so the folder is not searched, and the snapshots
 * themselves need not be there. Each use costs one look at every file's name; a file is opened when it is new.
 */
import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../expected-error.js';
import { ChangesError } from '../format/release-changes.js';
import { SnapshotError } from '../format/snapshot-error.js';
import type { Logger } from '../logger.js';
import type { ChangesList, ReleaseChanges } from '../store/release-changes.js';
import { ChangesFile } from './changes-file.js';
import { identityOf } from './find-snapshot.js';
import { changesFileOf, type PublishedSnapshot, publishedName } from './snapshot-folder.js';

/** Maximum number of lists: eight years of monthly releases. */
const MAX_LISTS = 100;

/** `path` is that of the snapshot's file, or one under /proc that leads to it. */
export function findChanges(path: string, snapshot: PublishedSnapshot, logger: Logger): ReleaseChanges {
  return new ChangesLists(path, snapshot, logger);
}

/** A file as it was found: its list, or undefined if it is not usable. */
interface KnownFile {
  readonly identity: string;
  readonly list: ChangesList | undefined;
}

class ChangesLists implements ReleaseChanges {
  readonly #known = new Map<string, KnownFile>();

  constructor(
    private readonly path: string,
    private readonly snapshot: PublishedSnapshot,
    private readonly logger: Logger,
  ) {}

  lists(): readonly ChangesList[] {
    const found: ChangesList[] = [];
    const seen = new Set([this.snapshot.id]);
    let path = this.#firstPath();
    let id = this.snapshot.id;
    while (path !== undefined && found.length < MAX_LISTS) {
      const list = this.#find(path, id);
      // Where an older release was put in service again, lists lead in a circle.
      if (list === undefined || seen.has(list.header.sinceSnapshot)) break;
      found.push(list);
      const { since: release, sinceSnapshot } = list.header;
      id = sinceSnapshot;
      seen.add(id);
      const name = publishedName({ release, id });
      path = name && changesFileOf(join(dirname(path), name));
    }
    return found;
  }

  /** Undefined if the snapshot's file has no name any more. */
  #firstPath(): string | undefined {
    try {
      return changesFileOf(realpathSync(this.path));
    } catch (error) {
      if (isSystemError(error)) return undefined;
      throw error;
    }
  }

  /** The list at `path`, if it is there and leads to this snapshot. */
  #find(path: string, id: string): ChangesList | undefined {
    const identity = identityNow(path);
    if (identity === undefined) return undefined;
    let known = this.#known.get(path);
    if (known?.identity !== identity) {
      known = { identity, list: this.#open(path, identity, id) };
      this.#known.set(path, known);
    }
    return known.list;
  }

  #open(path: string, identity: string, id: string): ChangesList | undefined {
    return this.#orRefuse(path, identity, () => {
      const file = new ChangesFile(path, identity);
      const { header } = file;
      if (header.snapshot !== id) throw new ChangesError(`it is that of snapshot ${header.snapshot}, not of ${id}`);
      return {
        header,
        writtenAt: file.writtenAt,
        read: (...lines) => this.#orRefuse(path, identity, () => file.read(...lines)),
      };
    });
  }

  /** What `read` returns. Where the file is not usable, the reason is logged, and the file is passed over from now on. */
  #orRefuse<T>(path: string, identity: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ChangesError || error instanceof SnapshotError || isSystemError(error))) throw error;
      this.#known.set(path, { identity, list: undefined });
      this.logger.warn({ path, reason: messageOf(error) }, 'this list of changes is not usable');
      return undefined;
    }
  }
}

/** Undefined if there is no such file. Of a file that can't be looked at, the reason: opening it tells more. */
function identityNow(path: string): string | undefined {
  try {
    const info = statSync(path, { bigint: true, throwIfNoEntry: false });
    return info && identityOf(path, info);
  } catch (error) {
    if (isSystemError(error)) return error.message;
    throw error;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'errno' in error;
}
