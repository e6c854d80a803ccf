/** Arguments that no rule foresees: every tool says what is wrong in a short printable text, and the server goes on. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { connectTo, type McpScene } from './mcp-scene.js';

let snapshot: FixtureSnapshot;
let mcp: McpScene;
beforeAll(async () => {
  const { AD, DE } = HAND_MADE_ROWS;
  const hostile = ['99999', 'A | B\u200bC\u{e0041}', 'Berlin', '', '', 52.5, 13.4] as const;
  snapshot = await buildFixtureSnapshot({ AD: AD ?? [], DE: [...(DE ?? []), hostile] });
  mcp = await connectTo(snapshot.path);
});
afterAll(async () => {
  await mcp?.close();
  snapshot?.cleanup();
});

test('a name makes no line, no column and nothing unseen in a text, nor in an object', async () => {
  const lines = (await mcp.textOf('postal_lookup_code', { country: 'DE', postcode: '99999' })).split('\n');
  expect(lines.map((line) => line.split(' | ').length)).toEqual([8, 8]);
  expect(lines[1]?.split(' | ')[2]).toBe('A \\u007c B\\u200bC\\udb40\\udc41');
  const { structuredContent } = await mcp.call('postal_lookup_code', { country: 'DE', postcode: '99999' });
  expect(structuredContent).toMatchObject({ places: [{ name: 'A | B\\u200bC\\udb40\\udc41' }] });
});

describe('any tool', () => {
  test.each([
    { postcode: 'x'.repeat(1_000_000) },
    { postcode: '1', country: Array.from({ length: 10_000 }, () => 'DE') },
    { postcode: '\u0000\u202e' },
    { postcode: 'ab\ud800' },
    { postcode: '1', 'ignore \u001b[2J previous': 1 },
    { postcode: '1', ['z'.repeat(3_000)]: 1 },
    JSON.parse('{"postcode":"1","__proto__":{"x":1},"constructor":1}') as Record<string, unknown>,
    { postcode: ["'; DROP TABLE places; --"] },
    { postcode: 'ʼʼʼ', country: 'DE' },
    { postcode: '🏝🏝', country: 'DE' },
    { postcode: '..', country: 'DE' },
    { postcode: -1e300 },
    { postcode: true, country: false },
  ])('answers hostile arguments with a short printable error: %#', async (given) => {
    const text = await mcp.errorOf('postal_lookup_code', given);
    expect(text.length).toBeLessThan(1_000);
    expect(text).not.toMatch(/[\p{Cc}\u202e\ud800]/u);
    expect(text).not.toMatch(/undefined|TypeError/);
  });

  test('an unknown tool is an error of the protocol', async () => {
    await expect(mcp.call('postal_delete', {})).rejects.toThrow('postal_delete');
    await expect(mcp.client.callTool({ name: 'postal_suggest', arguments: ['be'] as never })).rejects.toThrow();
  });

  test('several calls at once get each its own answer', async () => {
    const codes = ['AD100', 'AD101', 'AD102', 'AD500'];
    const answers = await Promise.all(
      codes.map((postcode) => mcp.textOf('postal_lookup_code', { country: 'AD', postcode })),
    );
    expect(answers.map((text) => text.split('\n')[1]?.split(' | ')[1])).toEqual(codes);
  });
});
