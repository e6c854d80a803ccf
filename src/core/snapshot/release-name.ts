/**
 * The name of a release: part of the name of a published snapshot, and of addresses.
 */

export const RELEASE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function isReleaseName(value: unknown): value is string {
  return typeof value === 'string' && RELEASE_NAME.test(value);
}
