/** Questions and answers between two sides: numbers, problems, limits and ends. */
import { expect, test } from '@jest/globals';
import { type Answer, Asker, answerFrom, LateError, NO_LIMIT_MS, type Question, START } from '../src/questions.js';

interface Sums {
  add(a: number, b: number): number;
  fail(): void;
}

const sums: Sums = {
  add: (a, b) => a + b,
  fail: () => {
    throw new Error('it does not work');
  },
};

/** An asker whose questions lie in `sent` until they are answered. */
function createAsker(): { asker: Asker<Sums>; sent: Question[]; answer(index: number): Promise<void> } {
  const sent: Question[] = [];
  const asker = new Asker<Sums>((question) => sent.push(question));
  return { asker, sent, answer: async (index) => asker.hear(await answerFrom(sums, sent[index] as Question)) };
}

const SOON_MS = 20;

test('answers find their questions in any order', async () => {
  const { asker, answer } = createAsker();
  const answers = [asker.ask(60_000, 'add', 1, 2), asker.ask(NO_LIMIT_MS, 'add', 3, 4)];
  await answer(1);
  await answer(0);
  expect(await Promise.all(answers)).toEqual([3, 7]);
});

test('a problem is told by its message', async () => {
  const { asker, answer } = createAsker();
  const failing = asker.ask(NO_LIMIT_MS, 'fail');
  await answer(0);
  await expect(failing).rejects.toThrow('it does not work');
});

test('an answer that is late is no answer, and heard without harm when it comes', async () => {
  const { asker, answer } = createAsker();
  await expect(asker.ask(SOON_MS, 'add', 1, 2)).rejects.toThrow(LateError);
  await answer(0);
  const next = asker.ask(NO_LIMIT_MS, 'add', 5, 6);
  await answer(1);
  expect(await next).toBe(11);
});

test('the end of the other side fails what is asked, and what is asked later', async () => {
  const { asker } = createAsker();
  const open = [asker.ask(NO_LIMIT_MS, 'add', 1, 2), asker.answerTo(START, NO_LIMIT_MS)];
  asker.end(new Error('it is gone'));
  for (const question of open) await expect(question).rejects.toThrow('it is gone');
  await expect(asker.ask(NO_LIMIT_MS, 'add', 1, 2)).rejects.toThrow('it is gone');
});

test('the start of the other side is answered unasked', async () => {
  const { asker, sent } = createAsker();
  const started = asker.answerTo(START, NO_LIMIT_MS);
  asker.hear({ number: START, answer: { port: 1 } } satisfies Answer);
  expect(await started).toEqual({ port: 1 });
  expect(sent).toEqual([]);
});
