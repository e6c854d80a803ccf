/**
 * The calendar month, in UTC, that an instant falls into: what a monthly quota is counted by. A month lasts from its
 * first instant, 00:00:00.000 on the 1st, to the first instant of the next; it has 28 to 31 days as the Gregorian
 * calendar says. There is no state and no clock here.
 */

export interface CalendarMonth {
  /** Year and month as ISO 8601 writes them, `2024-02`. Names sort as their months do. */
  readonly name: string;
  /** The month's first millisecond since 1970-01-01T00:00Z. */
  readonly startMs: number;
  /** The next month's first millisecond. */
  readonly endMs: number;
}

const NAME_FORM = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** The month of an instant between the years 1000 and 9999, in milliseconds since 1970-01-01T00:00Z. */
export function monthOf(nowMs: number): CalendarMonth {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return {
    name: now.toISOString().slice(0, 7),
    startMs: Date.UTC(year, month),
    endMs: Date.UTC(year, month + 1),
  };
}

/** Whether the text is the name of a month. */
export function isMonthName(text: string): boolean {
  return NAME_FORM.test(text);
}
