/** The name of a place or unit in an address. */

import type { Unit } from './api-answers.js';

/** `isLocal` tells whether addresses have the names in the script of the country. */
export function nameOf({ name, localName }: Pick<Unit, 'name' | 'localName'>, isLocal: boolean): string {
  return isLocal ? localName : name;
}
