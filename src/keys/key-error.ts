/**
 * The base of every error that this folder's functions throw on purpose. Its message is one sentence for people and
 * holds no secret; anything else that is thrown is a defect of ours.
 */
export abstract class KeyError extends Error {}
