/** Names the file that a worker serves: what SNAPSHOT names may be another one by now. */
export const SNAPSHOT_FILE = 'POSTAL_PLACES_SNAPSHOT_FILE';
