/** Requests and replies between two processes: ids, errors, timeouts and ends. */
import { expect, test } from '@jest/globals';
import {
  handleRpcRequest,
  RpcClient,
  type RpcReply,
  type RpcRequest,
  RpcTimeoutError,
  START,
} from '../../src/process/workers/rpc.js';

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

/** A client whose requests lie in `sent` until they are replied to. */
function createClient(): { rpc: RpcClient<Sums>; sent: RpcRequest[]; reply(index: number): Promise<void> } {
  const sent: RpcRequest[] = [];
  const rpc = new RpcClient<Sums>((request) => sent.push(request));
  return {
    rpc,
    sent,
    reply: async (index) => rpc.handleReply(await handleRpcRequest(sums, sent[index] as RpcRequest)),
  };
}

const SOON_MS = 20;

test('replies find their requests in any order', async () => {
  const { rpc, reply } = createClient();
  const replies = [rpc.call(60_000, 'add', 1, 2), rpc.call(10_000, 'add', 3, 4)];
  await reply(1);
  await reply(0);
  expect(await Promise.all(replies)).toEqual([3, 7]);
});

test('an error arrives with its message', async () => {
  const { rpc, reply } = createClient();
  const failing = rpc.call(10_000, 'fail');
  await reply(0);
  await expect(failing).rejects.toThrow('it does not work');
});

test('a late reply is none, and does no harm when it comes', async () => {
  const { rpc, reply } = createClient();
  await expect(rpc.call(SOON_MS, 'add', 1, 2)).rejects.toThrow(RpcTimeoutError);
  await reply(0);
  const next = rpc.call(10_000, 'add', 5, 6);
  await reply(1);
  expect(await next).toBe(11);
});

test('the end of the other process fails pending requests and later ones', async () => {
  const { rpc } = createClient();
  const open = [rpc.call(10_000, 'add', 1, 2), rpc.replyTo(START, 10_000)];
  rpc.close(new Error('it is gone'));
  for (const request of open) await expect(request).rejects.toThrow('it is gone');
  await expect(rpc.call(10_000, 'add', 1, 2)).rejects.toThrow('it is gone');
});

test('the start of the other process is a reply without a request', async () => {
  const { rpc, sent } = createClient();
  const started = rpc.replyTo(START, 10_000);
  rpc.handleReply({ id: START, result: { port: 1 } } satisfies RpcReply);
  expect(await started).toEqual({ port: 1 });
  expect(sent).toEqual([]);
});
