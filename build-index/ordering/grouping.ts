/** Lists and caches by key: the build groups values in every phase, in the order in which they come. */

/** Appends `value` to the list of `key`. */
export function appendToGroup<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** The values with the same key, in one list for each key. */
export function groupBy<Key, Value>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const lists = new Map<Key, Value[]>();
  for (const value of values) appendToGroup(lists, keyOf(value), value);
  return lists;
}

/** Caches the results of `make` by key: names repeat a lot within a country. */
export function memoize<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, make(key));
    return known.get(key) as Value;
  };
}
