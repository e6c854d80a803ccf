/** The form of a question to a snapshot, and what a command that asks it touches besides the snapshot. */
import type { Surroundings } from '../surroundings.js';

export type AskSurroundings = Pick<Surroundings, 'env' | 'writeOut'>;

export interface AskOptions {
  readonly snapshot?: string;
  readonly json?: boolean;
}

/** One question to the API: the name of an operation, its parameters, and the lines that tell its data. */
export interface Question<Data> {
  readonly operation: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Parameters of the answer that is printed as lines. */
  readonly inLines?: Readonly<Record<string, unknown>>;
  /** Empty where nothing was found. */
  readonly linesOf: (data: Data) => readonly string[];
  /** The message where the answer is there and empty. */
  readonly nothingFound?: string;
}
