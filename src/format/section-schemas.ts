/** The array bundle of each section: of a country's slice, or of the whole section of the world. */
import type { BundleSchema } from './array-bundle.js';
import { COUNTRY_GRID_SCHEMA } from './country-grid.js';
import { ID_INDEX_SCHEMA } from './id-index.js';
import { NAME_INDEX_SCHEMA } from './name-index.js';
import { OLD_PATHS_SCHEMA } from './old-paths.js';
import { PATH_TRIE_SCHEMA } from './path-trie.js';
import { PLACE_CONTEXTS_SCHEMA } from './place-contexts.js';
import { PLACE_FACTS_SCHEMA } from './place-facts.js';
import { PLACE_ORDERS_SCHEMA } from './place-orders.js';
import { PLACE_POSITIONS_SCHEMA } from './place-positions.js';
import { PLACE_TREE_SCHEMA } from './place-tree.js';
import { POINT_INDEX_SCHEMA } from './point-index.js';
import { POSTCODE_INDEX_SCHEMA } from './postcode-index.js';
import { RENDERED_COUNTRIES_SCHEMA } from './rendered-countries.js';
import { RENDERED_PLACES_SCHEMA } from './rendered-places.js';
import type { SectionName } from './sections.js';
import { WORLD_POSTCODES_SCHEMA } from './world-postcodes.js';

export const SECTION_SCHEMAS = {
  'place-answers': RENDERED_PLACES_SCHEMA,
  'place-tree': PLACE_TREE_SCHEMA,
  'path-trie': PATH_TRIE_SCHEMA,
  'id-index': ID_INDEX_SCHEMA,
  'postcode-index': POSTCODE_INDEX_SCHEMA,
  'place-orders': PLACE_ORDERS_SCHEMA,
  'point-index': POINT_INDEX_SCHEMA,
  'place-positions': PLACE_POSITIONS_SCHEMA,
  'name-index': NAME_INDEX_SCHEMA,
  'place-contexts': PLACE_CONTEXTS_SCHEMA,
  'old-paths': OLD_PATHS_SCHEMA,
  'place-facts': PLACE_FACTS_SCHEMA,
  'country-answers': RENDERED_COUNTRIES_SCHEMA,
  'country-grid': COUNTRY_GRID_SCHEMA,
  'world-name-index': NAME_INDEX_SCHEMA,
  'world-postcodes': WORLD_POSTCODES_SCHEMA,
} as const satisfies Readonly<Record<SectionName, BundleSchema>>;
