import { InvalidValueError } from '../expected-error.js';

/**
 * The address of a folder on a host, with a slash at its end; undefined for the path of a folder. Throws an
 * InvalidValueError that says what is wrong with an address.
 */
export function parseSourceUrl(text: string): URL | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return undefined;
  if (!/^https?:/i.test(text)) throw new InvalidValueError('it is neither an http or https address nor a path');
  if (!URL.canParse(text)) throw new InvalidValueError('it is no address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw new InvalidValueError('it has a user name or a password');
  if (url.search !== '' || url.hash !== '') throw new InvalidValueError('it has a query or a fragment');
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}
