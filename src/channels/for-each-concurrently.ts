/** Runs asynchronous work for each item, a few at once. */

/**
 * Calls `work` for each item in order, at most `limit` at once. After a failure no further item is begun. Resolves or
 * rejects, with the first failure, once no call is left: then the caller may close the files that `work` used.
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const failures: unknown[] = [];
  const runQueue = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      try {
        await work(item, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runQueue));
  if (failures.length > 0) throw failures[0];
}
