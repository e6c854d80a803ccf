/**
 * `completion`: prints a script that completes subcommands, options and their values in a shell. The script is made of
 * the definitions that parse the command line, so both always agree; it holds all words itself and starts no program.
 */
import { Argument, type Command } from 'commander';
import type { Surroundings } from '../surroundings.js';
import { bashScript } from './bash-script.js';
import { type CompletedCommand, describeCommands } from './completed-command.js';
import { fishScript } from './fish-script.js';
import { zshScript } from './zsh-script.js';

const SCRIPTS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function addCompletionCommand(
  program: Command,
  surroundings: Surroundings,
  createWholeProgram: (surroundings: Surroundings) => Promise<Command>,
): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples, for ~/.bashrc, ~/.zshrc and ~/.config/fish/config.fish:
  source <(postal-places completion bash)
  source <(postal-places completion zsh)
  postal-places completion fish | source`,
    )
    .action(async (shell: string) => {
      const commands = describeCommands(await createWholeProgram(surroundings));
      surroundings.writeOut(SCRIPTS[shell]?.(commands) ?? '');
    });
}
