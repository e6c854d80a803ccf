/** Caches the results of `make` by text: names repeat a lot within a country. */
export function memoize<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = make(text);
      known.set(text, value);
    }
    return value;
  };
}
