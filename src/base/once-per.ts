/**
 * What is computed from an object on its first use and kept as long as the object, such as a snapshot, is in use; or as
 * long as a part of the object that `partOf` names, for all objects that share this part.
 */

export function oncePer<Source extends object, Value>(
  compute: (source: Source) => Value,
  partOf: (source: Source) => object = (source) => source,
): (source: Source) => Value {
  const known = new WeakMap<object, { readonly value: Value }>();
  return (source) => {
    const part = partOf(source);
    let entry = known.get(part);
    if (entry === undefined) {
      entry = { value: compute(source) };
      known.set(part, entry);
    }
    return entry.value;
  };
}
