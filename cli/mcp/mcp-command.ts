/** `mcp`: ends when its input ends. */

import type { Command } from 'commander';
import { snapshotOption } from '../named-snapshot.js';
import type { McpSurroundings } from './serve-tools.js';

const EXAMPLES = `
Examples:
  postal-places mcp
  postal-places mcp --snapshot world.snapshot

Exit codes: 0 the input ended, 1 failed, 2 wrong usage.`;

export function addMcpCommand(program: Command, surroundings?: McpSurroundings): void {
  program
    .command('mcp')
    .description('answer models: five tools over the Model Context Protocol, on standard input and output')
    .addOption(snapshotOption())
    .addHelpText('after', EXAMPLES)
    .action(async ({ snapshot }: { readonly snapshot?: string }) => {
      const { serveTools } = await import('./serve-tools.js');
      await serveTools(snapshot, surroundings);
    });
}
