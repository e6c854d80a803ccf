/** A client of the Model Context Protocol, connected to the tools over a snapshot. */

import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createMcpServer } from '../../../cli/mcp/mcp-server.js';
import { openSnapshot } from '../../../src/core/snapshot/snapshot.js';

export interface McpScene {
  readonly client: Client;
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
  /** The text of an answer; fails where the tool answered with an error. */
  textOf(name: string, given: Readonly<Record<string, unknown>>): Promise<string>;
  /** The sentences of an error, each a line of the answer, in one line; fails where the tool answered. */
  errorOf(name: string, given: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

export async function connectTo(snapshotPath: string): Promise<McpScene> {
  const snapshot = openSnapshot(snapshotPath);
  const server = createMcpServer(snapshot, async (question) => question(snapshot));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(ours);
  const scene = sceneOf(client);
  // The client checks structured answers of the tools that it has listed.
  await client.listTools();
  return scene;
}

export function sceneOf(client: Client): McpScene {
  const call: McpScene['call'] = (name, given) => client.callTool({ name, arguments: { ...given } });
  const read = async (isError: boolean, name: string, given: Readonly<Record<string, unknown>>): Promise<string> => {
    const result = await call(name, given);
    const [content, ...more] = result.content;
    if (content?.type !== 'text' || more.length > 0)
      throw new Error(`${name} answers with other content than one text`);
    if ((result.isError ?? false) !== isError) throw new Error(`${name} ${JSON.stringify(given)}: ${content.text}`);
    return content.text;
  };
  return {
    client,
    call,
    textOf: (name, given) => read(false, name, given),
    errorOf: async (name, given) => (await read(true, name, given)).replaceAll('\n', ' '),
    close: () => client.close(),
  };
}
