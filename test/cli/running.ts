/** Runs the program in this process, with nothing of this process's environment, and parses calls without running them. */
import type { Command } from 'commander';
import { createWholeProgram } from '../../cli/commands.js';
import type { Surroundings } from '../../cli/program/program-io.js';
import { run } from '../../cli/run.js';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

export async function runHere(...args: string[]): Promise<Ended> {
  const output = { out: '', error: '' };
  const code = await run(args, surroundingsWith(output));
  return { code, ...output };
}

/** The program with all subcommands, none of which does anything. */
export async function createIdleProgram(): Promise<Command> {
  const program = await createWholeProgram(surroundingsWith({ out: '', error: '' }));
  for (const command of leavesOf(program)) command.action(() => {});
  return program;
}

/** Rejects with commander's error where the program would refuse these words as wrong usage. */
export async function parseCall(words: readonly string[]): Promise<void> {
  await (await createIdleProgram()).parseAsync(words, { from: 'user' });
}

/** The words of a line for a shell, which has no quotes but double ones. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? (plain as string));
}

function leavesOf(command: Command): Command[] {
  return command.commands.flatMap((below) => (below.commands.length > 0 ? leavesOf(below) : [below]));
}

function surroundingsWith(output: { out: string; error: string }): Surroundings {
  return {
    env: {},
    clock: Date.now,
    writeOut(text) {
      output.out += text;
    },
    writeError(text) {
      output.error += text;
    },
  };
}
