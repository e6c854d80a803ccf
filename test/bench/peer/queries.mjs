/**
 * The peer's statements. Each is named, so every connection prepares it once, and asks for rows as arrays, which `pg` makes
 * faster than objects. A question is one statement and one trip to the database. A row of a place with what it lies in is
 * `[answer, childCount, root, …, parent]`, with null for each level that is not there.
 */

/** The parent of `p`, its parent, and the root above that: a place has at most four levels. */
const ANCESTORS = `
  LEFT JOIN place a ON a.number = p.parent
  LEFT JOIN place b ON b.number = a.parent
  LEFT JOIN place c ON c.number = b.parent`;
const DETAIL = 'p.answer, p.child_count, c.answer, b.answer, a.answer';
const POINT = 'ST_SetSRID(ST_MakePoint($1::float8, $2::float8), 4326)::geography';

/** The lengths of starts that have an index of their own. */
export const SHORT_STARTS = [2, 3, 4];

function statement(name, text) {
  return (...values) => ({ name, text, values, rowMode: 'array' });
}

/** Each country's code, answer and detailed answer. */
export const listCountries = statement('countries', 'SELECT code, answer, detail FROM country ORDER BY code');

export const listPlaces = statement(
  'places',
  'SELECT answer FROM place WHERE country = $1 AND ordinal >= $2 AND ordinal < $3 ORDER BY ordinal',
);

export const listPlacesOfLevel = statement(
  'level',
  `SELECT answer FROM place WHERE country = $1 AND level = $2 AND level_ordinal >= $3 AND level_ordinal < $4
  ORDER BY level_ordinal`,
);

export const getPlace = statement(
  'place',
  `SELECT ${DETAIL} FROM place p ${ANCESTORS} WHERE p.id = $2 AND p.country = $1`,
);

/** A row `[childCount, answer]` for each child of the page; one with null where the page is empty, none without the place. */
export const listChildren = statement(
  'children',
  `SELECT p.child_count, child.answer FROM place p
  LEFT JOIN place child
    ON child.parent = p.number AND child.sibling_ordinal >= $3 AND child.sibling_ordinal < $4
  WHERE p.id = $2 AND p.country = $1 ORDER BY child.sibling_ordinal`,
);

export const resolvePath = statement(
  'path',
  `SELECT ${DETAIL} FROM place p ${ANCESTORS} WHERE p.country = $1 AND p.path = $2`,
);

export const findPostcode = statement(
  'postcode',
  `SELECT ${DETAIL} FROM (
    SELECT * FROM place WHERE country = $1 AND postcode_key = $2 ORDER BY ordinal LIMIT 100
  ) p ${ANCESTORS} ORDER BY p.ordinal`,
);

/** The best places whose folded name starts so: of the world, or of a country. */
export function suggest(folded, country, limit) {
  const [scope, where, more] = scopeOf(country);
  // The index alone finds the best; only their rows are read.
  const text = `SELECT p.answer FROM (
      SELECT number, rank FROM place WHERE folded >= $1 AND folded < $1 || '~' AND rank IS NOT NULL ${where}
      ORDER BY rank LIMIT $2
    ) best JOIN place p USING (number) ORDER BY best.rank`;
  return statement(`start ${scope}`, text)(folded, limit, ...more);
}

/** Likewise, with the indexes of SHORT_STARTS (load.mjs) where they fit. */
export function suggestTuned(folded, country, limit) {
  const { length } = folded;
  if (length > SHORT_STARTS.at(-1)) return suggest(folded, country, limit);
  const [scope, where, more] = scopeOf(country);
  const text = `SELECT answer FROM place WHERE left(folded, ${length}) = $1 AND rank IS NOT NULL ${where}
    ORDER BY rank LIMIT $2`;
  return statement(`start ${length} ${scope}`, text)(folded, limit, ...more);
}

function scopeOf(country) {
  return country === undefined ? ['world', '', []] : ['country', 'AND country = $3', [country]];
}

/** The code of the country with the nearest centre. */
export const nearestCountry = statement('centre', `SELECT code FROM country ORDER BY centre <-> ${POINT} LIMIT 1`);

/** The nearest place of a country, its distance in metres on a sphere behind it; `coarse` are those asked for last. */
export const nearestPlace = { sure: nearest('nearest', 'tier = 0'), coarse: nearest('nearest coarse', 'tier > 0') };

function nearest(name, condition) {
  return statement(
    name,
    `SELECT ${DETAIL}, ST_Distance(p.point, ${POINT}, false) FROM (
      SELECT * FROM place WHERE country = $3 AND ${condition} ORDER BY point <-> ${POINT} LIMIT 1
    ) p ${ANCESTORS}`,
  );
}
