/** The address of a folder of channels: on a host, or in the file system. */

import { InvalidValueError } from '../../base/errors.js';

/**
 * The address of a folder of channels on a host, with a slash at its end; undefined for the path of a folder. Throws an
 * InvalidValueError that says what is wrong with an address.
 */
export function parseChannelUrl(text: string): URL | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return undefined;
  if (!/^https?:/i.test(text)) throw new InvalidValueError('it is neither an http or https address nor a path');
  if (!URL.canParse(text)) throw new InvalidValueError('it is no address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw new InvalidValueError('it has a user name or a password');
  if (url.search !== '' || url.hash !== '') throw new InvalidValueError('it has a query or a fragment');
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** As parseChannelUrl; the error is a whole sentence. */
export function parseChannelAddress(address: string): URL | undefined {
  try {
    return parseChannelUrl(address);
  } catch (error) {
    // Without the address, which may have a password.
    throw new InvalidValueError(`the address can't be pulled from: ${(error as Error).message}`);
  }
}
