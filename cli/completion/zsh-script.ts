/**
 * The completion script of zsh: one function for each command, which hands what follows the name of a command below it
 * to that command's function.
 */
import { type CompletedCommand, type CompletedOption, pathBelow, quote } from './completed-command.js';

export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef postal-places
# Completes postal-places in zsh: source <(postal-places completion zsh)
${commands.map((command) => functionOf(command, commands)).join('\n')}
# zsh calls the file itself where it lies in a folder of fpath.
if [ "$funcstack[1]" = _postal_places ]; then
  _postal_places "$@"
else
  compdef _postal_places postal-places
fi
`;
}

function functionOf(command: CompletedCommand, all: readonly CompletedCommand[]): string {
  const specs = command.options.map(optionSpec);
  if (command.commands.length === 0) {
    const values = command.values.length === 0 ? '_files' : `(${command.values.join(' ')})`;
    return `${nameOf(command.path)}() {
  _arguments -s ${[...specs, quote(`*:argument:${values}`)].join(' \\\n    ')}
}`;
  }
  const described = command.commands.map((name) => {
    const below = all.find(({ path }) => path === pathBelow(command, name));
    return quote(`${name}:${(below?.description ?? '').replaceAll(':', '\\:')}`);
  });
  const cases = command.commands.map((name) => `    ${name}) ${nameOf(pathBelow(command, name))} ;;`);
  return `${nameOf(command.path)}() {
  local curcontext="$curcontext" state line
  local -a commands
  _arguments -C ${[...specs, quote('1:command:->command'), quote('*::argument:->arguments')].join(' \\\n    ')}
  case $state in
  command)
    commands=(
      ${described.join('\n      ')}
    )
    _describe command commands ;;
  arguments)
    case $words[1] in
${cases.join('\n')}
    esac ;;
  esac
}`;
}

/** The function of a command: `_postal_places_keys_create`. */
function nameOf(path: string): string {
  return ['_postal_places', ...path.split(' ')].filter(Boolean).join('_').replaceAll('-', '_');
}

/** As `_arguments` reads it; an option with two flags excludes itself. */
function optionSpec({ flags, description, takesValue, values }: CompletedOption): string {
  const text = description.replaceAll(/[\\[\]:]/g, '\\$&');
  const value = values.length === 0 ? '_files' : `(${values.join(' ')})`;
  const rest = `[${text}]${takesValue ? `:value:${value}` : ''}`;
  if (flags.length === 1) return quote(`${flags[0]}${rest}`);
  return `${quote(`(${flags.join(' ')})`)}{${flags.join(',')}}${quote(rest)}`;
}
