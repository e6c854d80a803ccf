/** Calendar months and days against Date, for every instant. The ends of months are also in the contract of stores. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  dayNumber,
  dayOf,
  dayOfNumber,
  isDayName,
  isMonthName,
  monthNumber,
  monthOf,
  monthOfNumber,
} from '../../../src/keys/key/calendar.js';

fc.configureGlobal({ seed: 20240229 });

const ONE_DAY_MS = 86_400_000;
const anyInstant = fc.integer({
  min: Date.parse('1000-01-01T00:00:00.000Z'),
  max: Date.parse('9999-12-31T23:59:59.999Z'),
});

test('holds every instant, has 28 to 31 whole days, and is followed by the next', () => {
  fc.assert(
    fc.property(anyInstant, (nowMs) => {
      const month = monthOf(nowMs);
      const next = month.name === '9999-12' ? undefined : monthOf(month.endMs);
      expect({
        ...month,
        holdsInstant: month.startMs <= nowMs && nowMs < month.endMs,
        hasWholeDays: [28, 29, 30, 31].includes((month.endMs - month.startMs) / ONE_DAY_MS),
        isNamed: isMonthName(month.name),
        nextStartMs: next?.startMs,
        isBeforeNext: next === undefined || next.name > month.name,
      }).toEqual({
        name: new Date(nowMs).toISOString().slice(0, 7),
        startMs: Date.parse(`${month.name}-01T00:00:00.000Z`),
        endMs: month.endMs,
        holdsInstant: true,
        hasWholeDays: true,
        isNamed: nowMs >= 0,
        nextStartMs: next && month.endMs,
        isBeforeNext: true,
      });
    }),
    { numRuns: 2_000 },
  );
});

test('takes fractions of milliseconds', () => {
  const startMs = Date.parse('2024-03-01T00:00:00.000Z');
  expect(monthOf(startMs - 0.5).name).toBe('2024-02');
  expect(monthOf(startMs + 0.5).name).toBe('2024-03');
});

test('isMonthName knows the names of months from everything else', () => {
  expect(['2024-01', '2024-12', '1970-01', '9999-10'].every(isMonthName)).toBe(true);
  const others = [
    '',
    '1969-12',
    '2024-00',
    '2024-13',
    '2024-1',
    '24-01',
    '2024-011',
    ' 2024-01',
    '2024-01\n',
    '2024/01',
    '２０２４-01',
  ];
  expect(others.some(isMonthName)).toBe(false);
});

test('isDayName knows the names of days from everything else', () => {
  expect(['2024-02-29', '1970-01-02', '9999-12-31'].every(isDayName)).toBe(true);
  const others = [
    '',
    '2024-02',
    '2023-02-29',
    '2024-04-31',
    '2024-4-30',
    '1969-12-31',
    '2024-01-01T00:00Z',
    '+12345-01-01',
  ];
  expect(others.filter(isDayName)).toEqual([]);
});

test('days and months are numbered one after the other, and named by their numbers', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_932_896 }), (number) => {
      const day = dayOfNumber(number);
      expect(dayNumber(day)).toBe(number);
      expect(monthOfNumber(monthNumber(day.slice(0, 7)))).toBe(day.slice(0, 7));
      expect(dayOf(number * ONE_DAY_MS + ONE_DAY_MS - 1)).toBe(day);
    }),
  );
  expect([dayNumber('1970-01-02'), monthNumber('2024-02')]).toEqual([1, 24_289]);
});
