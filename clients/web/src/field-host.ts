/** The element as its fields see it: the country, the client of the API, and the messages. */

import type { Messages } from './message-texts.js';
import type { PlacesClient } from './places-client.js';

/** Any of these may change. */
export interface FieldHost {
  readonly country: string;
  readonly countryName: string;
  readonly client: PlacesClient;
  readonly messages: Messages;
  /** Whether places have their local names, and not their Latin ones. */
  readonly isLocal: boolean;
}
