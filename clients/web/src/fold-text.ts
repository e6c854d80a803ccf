/** Folds a text of any script, so that it can be compared: without case, accents, spaces and punctuation. */

export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{P}\s]/gu, '')
    .toLowerCase();
}
