/** Clients that ask over kept connections until they are told to stop, and keep count of what they get. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds from an answer to the next request: without a pause eight clients take both cores from the server. */
const PAUSE_MS = 5;

export interface Tally {
  /** Good answers, by the release they name in their header. */
  readonly byRelease: Map<string, number>;
  /** Answers whose body does not agree with their header. */
  readonly mixed: string[];
  /** Anything but a good answer on a connection that had brought one before. */
  readonly failed: string[];
  /** What became of first requests on connections that were given up. */
  readonly turnedAway: string[];
}

export interface Clients {
  readonly tally: Tally;
  stop(): Promise<Tally>;
}

/** `count` clients, each on a connection of its own, that ask one question after the other until nobody listens. */
export function startClients(port: number, key: string, count: number): Clients {
  const tally: Tally = { byRelease: new Map(), mixed: [], failed: [], turnedAway: [] };
  let isOver = false;
  const runs = Array.from({ length: count }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver && (await askOnce(port, key, agent, tally))) await wait(PAUSE_MS);
    agent.destroy();
  });
  return {
    tally,
    async stop() {
      isOver = true;
      await Promise.all(runs);
      return tally;
    },
  };
}

/** Whether somebody listens. */
async function askOnce(port: number, key: string, agent: Agent, tally: Tally): Promise<boolean> {
  const path = '/v1/countries/LI/postcodes/9490';
  const request = get({ host: '127.0.0.1', port, path, agent, headers: { 'x-api-key': key } });
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    const release = String(response.headers['x-dataset-release']);
    if (response.statusCode !== 200) tally.failed.push(`${response.statusCode} ${text}`);
    else if (!text.includes(`"Vaduz ${release}"`)) tally.mixed.push(`${release}: ${text}`);
    else tally.byRelease.set(release, (tally.byRelease.get(release) ?? 0) + 1);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    (request.reusedSocket ? tally.failed : tally.turnedAway).push(message);
    return code !== 'ECONNREFUSED';
  }
}
