/**
 * A static host on the loopback interface that serves a folder as nginx does, with validators, conditions and ranges,
 * except where a fault is set for a path. The faults of a path come one for each request, and after them the truth.
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Fault, sendFile } from '../fixtures/file-server.js';

export interface HostileHost {
  /** The address of the folder. */
  readonly url: string;
  /** All there were, in order. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** Sets the faults of the paths that match, `times` each. */
  fault(paths: RegExp, fault: Fault, times?: number): void;
  /** Forgets requests and faults. */
  clear(): void;
  stop(): Promise<void>;
}

export async function startHostileHost(folder: string, address = '127.0.0.1'): Promise<HostileHost> {
  const requests: HostileHost['requests'] = [];
  const faults: { readonly paths: RegExp; readonly fault: Fault; times: number }[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/places\//, '');
    requests.push({ path, headers: request.headers });
    const bytes = bytesOf(join(folder, path));
    const waiting = faults.find(({ paths, times }) => times > 0 && paths.test(path));
    if (waiting !== undefined) {
      waiting.times--;
      waiting.fault(request, response, { bytes: bytes ?? Buffer.alloc(0) });
    } else if (bytes === undefined) {
      response.writeHead(404).end('<h1>Not Found</h1>');
    } else {
      const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
      sendFile(request, response, { bytes, etag });
    }
  }).listen(0, address);
  await once(server, 'listening');
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}/places/`,
    requests,
    fault: (paths, fault, times = Number.POSITIVE_INFINITY) => void faults.push({ paths, fault, times }),
    clear() {
      requests.length = 0;
      faults.length = 0;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
