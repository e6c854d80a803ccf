/** `make`, which is called once for each text: names repeat a lot within a country. */
export function remembering<Value>(make: (text: string) => Value): (text: string) => Value {
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
