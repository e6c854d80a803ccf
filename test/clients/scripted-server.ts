/** A server that answers as it is told, one answer after the other, and keeps what it was asked. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Never answered where it is so. */
  readonly isSilent?: boolean;
}

export interface ScriptedServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

/** The last of the answers is given again and again. */
export async function startScriptedServer(...answers: ScriptedAnswer[]): Promise<ScriptedServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] as ScriptedAnswer;
    requests.push(request);
    if (answer.isSilent) return;
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body ?? '');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An error of the service. */
export function refusal(status: number, code: string, headers: Readonly<Record<string, string>> = {}): ScriptedAnswer {
  const body = { statusCode: status, error: { message: 'no', code }, metadata: { correlationId: 'c1' } };
  return { status, headers, body: JSON.stringify(body) };
}

export const SUCCESS: ScriptedAnswer = {
  status: 200,
  body: JSON.stringify({ statusCode: 200, data: [], metadata: { correlationId: 'c2' } }),
};
