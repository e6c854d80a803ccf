/** Hosts that only programs of the same machine reach: there a person tries the site, and TLS would protect nothing. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
