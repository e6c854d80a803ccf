/** Parses replies of Redis. A reply that is not a list counts as an empty list. */

/** The texts of a list. */
export function redisTextsIn(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [];
}

/** The fields of a hash, by name, as HGETALL answers: names and values in turn. */
export function redisFieldsIn(reply: unknown): Map<string, string> {
  const texts = redisTextsIn(reply);
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < texts.length; at += 2) fields.set(texts[at] as string, texts[at + 1] as string);
  return fields;
}
