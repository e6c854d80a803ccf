/** The document about the tools shows what they answer from the starter dataset, and names all their arguments. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../../src/base/package-root.js';
import { sharedStarterSnapshot } from '../../fixtures/starter-snapshot.js';
import { connectTo, type McpScene } from './mcp-scene.js';

const text = readFileSync(join(packageRoot(), 'docs/models.md'), 'utf8');

let mcp: McpScene;
beforeAll(async () => {
  mcp = await connectTo(await sharedStarterSnapshot());
});
afterAll(() => mcp?.close());

test('the answers are those of the tools', async () => {
  const examples = [...text.matchAll(/(?:`(\w+)` )?[Ww]ith\s+`(\{.*?\})`:\n\n```text\n(.*?)\n```/gs)];
  let tool = '';
  const called = new Set<string>();
  for (const [, name = tool, given = '', answer = ''] of examples) {
    tool = name;
    called.add(name);
    const { content } = await mcp.call(name, JSON.parse(given));
    expect({ name, given, content }).toEqual({ name, given, content: [{ type: 'text', text: answer }] });
  }
  expect([examples.length, called.size]).toEqual([(text.match(/```text\n/g) ?? []).length, 5]);
});

test('the table has every tool with all its arguments', async () => {
  const { tools } = await mcp.client.listTools();
  const rows = [...text.matchAll(/^\| `(postal_\w+)` \| (.*?) \|/gm)];
  const argumentsOf = (cell = ''): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
  expect(rows.map(([, name, cell]) => [name, argumentsOf(cell).sort()])).toEqual(
    tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {}).sort()]),
  );
});
