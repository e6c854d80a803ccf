/**
 * How the clients call what the description names: the generator of the clients and the examples of the site ask here,
 * so an example calls a method that exists. The TypeScript client has the names of the description as they are.
 */

/** Of both clients. */
export const CLIENT_CLASS = 'PostalPlaces';
export const TYPESCRIPT_PACKAGE = 'postal-places-client';
export const PYTHON_PACKAGE = 'postal_places';

/** Of an operation or a parameter: `pageSize` is `page_size`. */
export function pythonName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
