/** Figures for people: counts, lengths and shares as text. */

/** "1,234,567" */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1 country", "1,234 countries" */
export function formatNumberOf(count: number, one: string, several = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : several}`;
}

/** "12.3 MB": decimal units, as disks are sold and files are listed. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** "99.12 %"; 0 and 100 only if the part is nothing or the whole. */
export function formatShare(part: number, whole: number): string {
  const text = whole === 0 ? '0.00' : ((100 * part) / whole).toFixed(2);
  if (text === '0.00' && part > 0) return '<0.01 %';
  if (text === '100.00' && part < whole) return '>99.99 %';
  return `${text} %`;
}
