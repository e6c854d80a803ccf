/**
 * The target of a request as it was sent, and as Express should route it. Express itself decodes path parameters before
 * the key is checked, and leniently.
 */

/**
 * Matches a target that is not yet plain: with an escape, with a fragment, or in absolute form (`http://host/path`).
 */
const NOT_PLAIN = /[%#]|^[^/]/;

const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

const ABSOLUTE_FORM = /^https?:\/\/(?:[^/?#[\]]*|\[[\da-f:.]+\](?::\d*)?)(?=[/?#]|$)/i;

/**
 * The path and query of a target in absolute form, which every server must take (RFC 9112, 3.2.2); others as they are.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(ABSOLUTE_FORM, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * The target as Express should route it: no fragment, and every `%` of the path written `%25`, so that
 * Express' lax decoding gives back the path parameters exactly as they were sent, for `decodeComponent` to judge.
 */
export function toRoutableTarget(url: string): string {
  if (!NOT_PLAIN.test(url)) return url;
  const target = url.replace(/#.*$/, '').replace(ORIGIN, '');
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  const query = queryAt < 0 ? '' : target.slice(queryAt);
  return (path === '' ? '/' : path.replaceAll('%', '%25')) + query;
}
