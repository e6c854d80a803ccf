/**
 * The base of every error that this folder's functions throw on purpose. Its message is one sentence for people and
 * holds no secret; anything else that is thrown is a defect of ours.
 */
export abstract class KeyError extends Error {}

/** What was thrown, in words. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
