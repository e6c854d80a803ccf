/** A copy that stands for itself: V8 keeps a long text as long as a slice of it, such as a cell, is in memory. */
export function copyText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
