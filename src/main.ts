#!/usr/bin/env node
/**
 * The server program, `postal-places`. What runs where:
 *
 *     process or thread    begins in                      what it does is in
 *     the first process    main.ts                        first-process, releases, operators
 *     a worker             worker-main.ts                 serving, http, service, store, keys, operators
 *     the check            releases/checking-thread.ts    store
 *
 * With WORKERS=1 there is no worker: the first process does a worker's work as well. Where the first process needs to know
 * or tell a worker something, it asks it (questions.ts): the processes share files, and nothing else.
 */
import { readConfig } from './config.js';
import { runProgram } from './first-process/run-program.js';
import { startServer } from './first-process/start-server.js';

void runProgram('postal-places', async () => startServer(readConfig(process.env)));
