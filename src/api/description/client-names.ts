/**
 * How both clients name what the description names. The generator of the clients and the examples of the site ask here, so
 * an example calls a method that exists. The TypeScript client has the names of the description as they are.
 */

/** The class of both clients. */
export const CLIENT_CLASS = 'PostalPlaces';
export const TYPESCRIPT_PACKAGE = 'postal-places-client';
export const PYTHON_PACKAGE = 'postal_places';

/** Whether Python keeps a word for itself, of those that the API has as names. */
export function isPythonKeyword(name: string): boolean {
  return name === 'from';
}

/** Of an operation or a parameter: `pageSize` is `page_size`, and a keyword has a line below behind it, as in `from_`. */
export function pythonName(name: string): string {
  if (isPythonKeyword(name)) return `${name}_`;
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
