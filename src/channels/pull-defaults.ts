/** What a pull does where nobody says otherwise. */

/** Default number of snapshots that a folder keeps: the one in service, and the one that `rollback` would go to. */
export const DEFAULT_KEEP = 2;
/** Default maximum time of a pull: an hour, in which the world comes at 35 kB a second. */
export const DEFAULT_LIMIT_MS = 3_600_000;
