/** An instant of a record as people read it, to the minute: `2026-11-22 23:15 UTC`. */
export function minuteOf(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`;
}
