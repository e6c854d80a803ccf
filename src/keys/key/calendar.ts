/**
 * The calendar month and the calendar day, in UTC, that an instant falls into: what quotas and charts are counted by. A
 * month lasts from its first instant, 00:00:00.000 on the 1st, to the first instant of the next; it has 28 to 31 days
 * as the Gregorian calendar says. Instants are milliseconds since 1970-01-01T00:00Z, of the years 1000 to 9999.
 */

export interface CalendarMonth {
  /** Year and month as ISO 8601 writes them, `2024-02`. Names sort as their months do. */
  readonly name: string;
  /** The month's first millisecond since 1970-01-01T00:00Z. */
  readonly startMs: number;
  /** The next month's first millisecond. */
  readonly endMs: number;
}

const DAY_MS = 86_400_000;
const MONTH_FORM = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const DAY_FORM = /^\d{4}-\d\d-\d\d$/;
const FIRST_MONTH = '1970-01';
const MONTH_NAME_LENGTH = 7;

export function monthOf(nowMs: number): CalendarMonth {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return {
    name: now.toISOString().slice(0, MONTH_NAME_LENGTH),
    startMs: Date.UTC(year, month),
    endMs: Date.UTC(year, month + 1),
  };
}

/** The name of the day as ISO 8601 writes it, `2024-02-29`. It begins with the name of its month. */
export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

/** Whether the text is the name of a month from 1970 on. */
export function isMonthName(text: string): boolean {
  return MONTH_FORM.test(text) && text >= FIRST_MONTH;
}

/** Whether the text is the name of a day after the first of 1970. */
export function isDayName(text: string): boolean {
  const startMs = DAY_FORM.test(text) ? Date.parse(text) : Number.NaN;
  // Date takes 30 February for 2 March.
  return startMs > 0 && dayOf(startMs) === text;
}

/** How many months there are from the year 0 to this one: consecutive months have consecutive numbers. */
export function monthNumber(name: string): number {
  return 12 * Number(name.slice(0, 4)) + Number(name.slice(5)) - 1;
}

export function monthOfNumber(number: number): string {
  return `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;
}

/** How many days there are from 1970-01-01 to this one. */
export function dayNumber(name: string): number {
  return Date.parse(name) / DAY_MS;
}

export function dayOfNumber(number: number): string {
  return dayOf(number * DAY_MS);
}
