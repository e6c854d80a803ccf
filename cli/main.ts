#!/usr/bin/env node
/** The program `postal-places`: one subcommand for each task, listed in commands.ts. */

import { run } from './run.js';

const exitCode = await run(process.argv.slice(2));
// `serve` and `site` go on after this line, and set a code of their own where they can't start.
if (exitCode !== 0) process.exitCode = exitCode;
