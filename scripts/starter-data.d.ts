/** Whether the snapshot is not there, or older than a source. */
export function isStarterDataDue(root: string): boolean;
