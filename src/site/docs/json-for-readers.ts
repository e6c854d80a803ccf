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

/** Prints what is neither an object nor an array, and says how many elements of an array are shown. */
interface Style {
  readonly printPlain: (value: unknown) => string;
  readonly most: (array: readonly unknown[], isOuter: boolean) => number;
}

const SHORT: Style = {
  printPlain: (value) => JSON.stringify(typeof value === 'string' ? shorten(value) : value),
  most: (array, isOuter) => (array.every(isPlain) ? PLAIN_ELEMENTS : isOuter ? OUTER_ELEMENTS : INNER_ELEMENTS),
};

export function shortJson(value: unknown): string {
  return print(value, '', SHORT, true);
}

/** With all elements and whole texts. */
export function wholeJson(value: unknown, printPlain: (value: unknown) => string = JSON.stringify): string {
  return print(value, '', { printPlain, most: () => Infinity }, true);
}

function print(value: unknown, indent: string, style: Style, isOuter: boolean): string {
  if (isPlain(value)) return style.printPlain(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const shown = value.slice(0, style.most(value, isOuter));
    const lines = shown.map((element) => print(element, inner, style, false));
    const moreCount = value.length - shown.length;
    if (moreCount > 0) lines.push(`… ${moreCount.toLocaleString('en-US')} more`);
    return enclose('[', lines, ']', indent);
  }
  const lines = Object.entries(value as object).map(
    ([name, field]) => `${JSON.stringify(name)}: ${print(field, inner, style, isOuter && Array.isArray(field))}`,
  );
  return enclose('{', lines, '}', indent);
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= TEXT_CHARACTERS ? text : `${characters.slice(0, TEXT_CHARACTERS).join('')}…`;
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
