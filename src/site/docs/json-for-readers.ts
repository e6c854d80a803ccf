/**
 * JSON for a reader: what fits on a line stands on one. A shortened value shows the first elements of each array with
 * how many more there are, and the start of each long text.
 */

/**
 * Maximum number of elements shown of an array: two of the outermost array, so that its form is seen, one of others.
 */
const OUTER_ELEMENTS = 2;
const INNER_ELEMENTS = 1;
/** Maximum number of elements shown of an array of texts and numbers, which take less room than objects. */
const PLAIN_ELEMENTS = 6;
/** Maximum length of a text in characters: more than the longest address that a page of the site has in practice. */
const TEXT_CHARACTERS = 160;
/**
 * Maximum length in characters of a line that holds a whole array or object: the column of examples shows as many
 * without scrolling.
 */
const LINE_CHARACTERS = 56;

export function shortJson(value: unknown): string {
  return print(value, '', OUTER_ELEMENTS);
}

/** With all elements and whole texts. `printPlain` prints what is neither an object nor an array. */
export function wholeJson(
  value: unknown,
  printPlain: (value: unknown) => string = JSON.stringify,
  indent = '',
): string {
  if (isPlain(value)) return printPlain(value);
  const inner = `${indent}  `;
  const print = (field: unknown): string => wholeJson(field, printPlain, inner);
  if (Array.isArray(value)) return enclose('[', value.map(print), ']', indent);
  const lines = Object.entries(value as object).map(([name, field]) => `${JSON.stringify(name)}: ${print(field)}`);
  return enclose('{', lines, '}', indent);
}

function print(value: unknown, indent: string, elements: number): string {
  if (typeof value === 'string') return printText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const shown = value.slice(0, value.every(isPlain) ? PLAIN_ELEMENTS : elements);
    const lines = shown.map((element) => print(element, inner, INNER_ELEMENTS));
    const moreCount = value.length - shown.length;
    const rest = moreCount > 0 ? [`… ${moreCount.toLocaleString('en-US')} more`] : [];
    return enclose('[', [...lines, ...rest], ']', indent);
  }
  const lines = Object.entries(value).map(
    ([name, field]) =>
      `${JSON.stringify(name)}: ${print(field, inner, Array.isArray(field) ? elements : INNER_ELEMENTS)}`,
  );
  return enclose('{', lines, '}', indent);
}

function printText(text: string): string {
  const characters = [...text];
  return JSON.stringify(
    characters.length <= TEXT_CHARACTERS ? text : `${characters.slice(0, TEXT_CHARACTERS).join('')}…`,
  );
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function enclose(start: string, lines: readonly string[], end: string, indent: string): string {
  if (lines.length === 0) return start + end;
  const gap = start === '{' ? ' ' : '';
  const line = `${start}${gap}${lines.join(', ')}${gap}${end}`;
  if (line.length + indent.length <= LINE_CHARACTERS && !line.includes('\n')) return line;
  return `${start}\n${lines.map((one) => `${indent}  ${one}`).join(',\n')}\n${indent}${end}`;
}
