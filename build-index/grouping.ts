/** Lists of values by key, in the order in which the values come: the build groups by a key in every phase. */

/** Appends `value` to the list of `key`. */
export function appendTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** The values with the same key, in one list for each key. */
export function groupBy<Key, Value>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const lists = new Map<Key, Value[]>();
  for (const value of values) appendTo(lists, keyOf(value), value);
  return lists;
}
