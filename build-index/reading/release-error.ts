/** A release, or a file of it, that cannot be read at all. (A bad row is no such error: see build-problem.ts.) */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}
