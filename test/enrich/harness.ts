/** Runs `enrich` in this process, with streams that keep what is written. */
import { PassThrough, Readable, Writable } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { addEnrichCommand } from '../../cli/enrich/enrich-command.js';

export interface Run {
  /** As the program would have it: 2 for wrong usage. */
  readonly exitCode: number;
  readonly out: string;
  readonly errors: string;
}

/** A stream that keeps its text. */
export function keepText(): { readonly stream: Writable; readonly text: () => string; readonly bytes: () => Buffer } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  const bytes = (): Buffer => Buffer.concat(chunks);
  return { stream, text: () => bytes().toString('utf8'), bytes };
}

export async function runEnrich(
  args: readonly string[],
  { stdin = '', isTTY = false }: { readonly stdin?: string | Buffer | Readable; readonly isTTY?: boolean } = {},
): Promise<Run> {
  const [out, errors] = [keepText(), keepText()];
  const terminal = new PassThrough();
  terminal.pipe(errors.stream);
  const program = new Command('postal-places')
    .exitOverride()
    .configureOutput({ writeErr: (text) => errors.stream.write(text) });
  addEnrichCommand(program, {
    env: {},
    stdin: stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin)]),
    stdout: out.stream,
    stderr: Object.assign(isTTY ? terminal : errors.stream, { isTTY }),
  });
  let exitCode = 0;
  try {
    for (const command of program.commands) {
      command.exitOverride().configureOutput({ writeErr: (text) => errors.stream.write(text) });
    }
    await program.parseAsync(['enrich', ...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) errors.stream.write((error as Error).message);
    exitCode = error instanceof CommanderError ? 2 : 1;
  }
  return { exitCode, out: out.text(), errors: errors.text() };
}
