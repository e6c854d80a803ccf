/**
 * The completion script of bash, which also runs in the bash 3.2 of macOS. It walks the words before the cursor to find
 * the command, and the option whose value comes next, then offers what may follow. Where it knows no word, bash offers
 * the names of files.
 */
import { type CompletedCommand, pathBelow, quote } from './completed-command.js';

export function bashScript(commands: readonly CompletedCommand[]): string {
  return `# Completes postal-places in bash: source <(postal-places completion bash)
_postal_places() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command='' option='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    # bash breaks --option=value into three words.
    [ "$word" = '=' ] && continue
    if [ -n "$option" ]; then option=''; continue; fi
    case "$command $word" in
${commands.flatMap(stepsOf).join('\n')}
    esac
  done
  [ "$current" = '=' ] && current=''
  case "$command $option" in
${commands.flatMap(wordsOf).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _postal_places postal-places
`;
}

/** What a word behind the command's words means: a command below it, or an option that takes a value. */
function stepsOf(command: CompletedCommand): string[] {
  const { path, commands, options } = command;
  return [
    ...commands.map((name) => `      ${quote(`${path} ${name}`)}) command=${quote(pathBelow(command, name))} ;;`),
    ...options
      .filter(({ takesValue }) => takesValue)
      .map(({ flags }) => `      ${flags.map((flag) => quote(`${path} ${flag}`)).join('|')}) option="$word" ;;`),
  ];
}

/** What may stand at the cursor: flags behind a dash, else commands and values. */
function wordsOf({ path, commands, values, options }: CompletedCommand): string[] {
  const flags = options.flatMap((option) => option.flags);
  return [
    `    ${quote(`${path} `)})`,
    `      words=${quote([...commands, ...values].join(' '))}`,
    `      [[ "$current" == -* ]] && words=${quote(flags.join(' '))} ;;`,
    ...options
      .filter((option) => option.values.length > 0)
      .map((option) => {
        const patterns = option.flags.map((flag) => quote(`${path} ${flag}`)).join('|');
        return `    ${patterns}) words=${quote(option.values.join(' '))} ;;`;
      }),
  ];
}
