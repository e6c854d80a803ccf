/**
 * The completion script of fish: a function that tells which command the words before the cursor call, and one line for
 * each word that may follow a command. fish offers the names of files besides, but for the names of commands.
 */
import { type CompletedCommand, type CompletedOption, pathBelow, quote as quoted } from './completed-command.js';

/** Inside single quotes fish reads a backslash as an escape. */
const quote = (text: string): string => quoted(text.replaceAll('\\', '\\\\'), "\\'");

export function fishScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  const valued = commands.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).flatMap(({ flags }) => flags.map((flag) => `${path} ${flag}`)),
  );
  return `# Completes postal-places in fish: postal-places completion fish | source
function __postal_places_command
  set -l command ''
  set -l option ''
  for word in (commandline -opc)[2..-1]
    if test -n "$option"
      set option ''
    else if contains -- (string trim -- "$command $word") ${paths.map(quote).join(' ')}
      set command (string trim -- "$command $word")
    else if contains -- "$command $word" ${valued.map(quote).join(' ')}
      set option $word
    end
  end
  echo $command
end
function __postal_places_is
  test (__postal_places_command) = "$argv[1]"
end
${commands.flatMap((command) => linesOf(command, commands)).join('\n')}
`;
}

function linesOf(command: CompletedCommand, all: readonly CompletedCommand[]): string[] {
  const start = `complete -c postal-places -n ${quote(`__postal_places_is ${quote(command.path)}`)}`;
  const described = (name: string): string =>
    all.find(({ path }) => path === pathBelow(command, name))?.description ?? '';
  return [
    ...command.commands.map((name) => `${start} -f -a ${quote(name)} -d ${quote(described(name))}`),
    ...command.values.map((value) => `${start} -f -a ${quote(value)}`),
    ...command.options.map((option) => `${start} ${flagsOf(option)} -d ${quote(option.description)}`),
  ];
}

function flagsOf({ flags, takesValue, values }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  if (!takesValue) return names.join(' ');
  return [...names, '-r', ...(values.length === 0 ? [] : [`-f -a ${quote(values.join(' '))}`])].join(' ');
}
