/** What a completion script needs to know of each command. */
import type { Argument, Command, Option } from 'commander';

export interface CompletedCommand {
  /** The words that call it behind the program's name, such as `keys create`; empty for the program itself. */
  readonly path: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** The names of the commands below it. */
  readonly commands: readonly string[];
  /** The values that its argument may have; empty where these are not known, such as the name of a file. */
  readonly values: readonly string[];
}

export interface CompletedOption {
  /** Each flag of it, such as `-h` and `--help`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Whether a value follows. */
  readonly takesValue: boolean;
  /** The values that it may have; empty where these are not known. */
  readonly values: readonly string[];
}

/** The command and all commands below it, each behind the one above it. */
export function describeCommands(command: Command, path: readonly string[] = []): CompletedCommand[] {
  const help = command.createHelp();
  return [
    {
      path: path.join(' '),
      description: command.description(),
      options: help.visibleOptions(command).map(describeOption),
      commands: command.commands.map((below) => below.name()),
      values: command.registeredArguments.flatMap(valuesOf),
    },
    ...command.commands.flatMap((below) => describeCommands(below, [...path, below.name()])),
  ];
}

function describeOption(option: Option): CompletedOption {
  const { short, long, description, required, optional } = option;
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    takesValue: required || optional,
    values: valuesOf(option),
  };
}

function valuesOf({ argChoices = [] }: Argument | Option): readonly string[] {
  return argChoices;
}

/** The path of the command `name` below `command`. */
export function pathBelow({ path }: CompletedCommand, name: string): string {
  return path === '' ? name : `${path} ${name}`;
}

/** A text between single quotes, as all three shells read it; `escaped` stands for a quote in it. */
export function quote(text: string, escaped = `'\\''`): string {
  return `'${text.replaceAll("'", escaped)}'`;
}
