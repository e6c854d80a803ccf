/** What is computed from an object on its first use and kept as long as the object, such as a snapshot, is in use. */

export function oncePer<Source extends object, Value>(compute: (source: Source) => Value): (source: Source) => Value {
  const known = new WeakMap<Source, { readonly value: Value }>();
  return (source) => {
    let entry = known.get(source);
    if (entry === undefined) {
      entry = { value: compute(source) };
      known.set(source, entry);
    }
    return entry.value;
  };
}
