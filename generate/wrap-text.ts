/** Text as lines of at most 120 characters, each with the same start. */
const MAX_LINE_LENGTH = 120;

export function wrap(text: string, start: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < MAX_LINE_LENGTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(start + word);
  }
  return lines.join('\n');
}
