/**
 * Calls of methods in another process by messages. Each request has a number, so replies may come in any order, and a
 * timeout; the end of the other process fails every pending request.
 */

export interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcReply {
  readonly id: number;
  readonly result?: unknown;
  /** The message of the error that the method threw. */
  readonly error?: string;
}

/** The methods of the other process, by name. */
type Methods<Names> = { readonly [Name in keyof Names]: (...params: never[]) => unknown };

/** The id of a reply without a request: the outcome of the other process's start. */
export const START = 0;

/** The id of a reply without a request: an answer to a client has failed by an error of ours, or of a damaged snapshot. */
export const ANSWER_FAILED = -1;

/** The other process did not reply in time, but has not ended. */
export class RpcTimeoutError extends Error {
  override readonly name = 'RpcTimeoutError';
}

export class RpcClient<Remote extends Methods<Remote>> {
  readonly #pending = new Map<number, (outcome: RpcReply | Error) => void>();
  #lastId = START;
  #closeError: Error | undefined;

  constructor(private readonly send: (request: RpcRequest) => void) {}

  /**
   * Rejects with an Error that has the other process's message, with RpcTimeoutError, or with the error given to
   * `close`.
   */
  call<Name extends keyof Remote & string>(
    timeoutMs: number,
    method: Name,
    ...params: Parameters<Remote[Name]>
  ): Promise<Awaited<ReturnType<Remote[Name]>>> {
    const id = ++this.#lastId;
    this.send({ id, method, params });
    return this.replyTo(id, timeoutMs);
  }

  replyTo<T>(id: number, timeoutMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: RpcReply | Error): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
        if (outcome instanceof Error) reject(outcome);
        else if (outcome.error !== undefined) reject(new Error(outcome.error));
        else resolve(outcome.result as T);
      };
      const timer = setTimeout(() => settle(new RpcTimeoutError(`no reply within ${timeoutMs} ms`)), timeoutMs);
      this.#pending.set(id, settle);
      if (this.#closeError !== undefined) settle(this.#closeError);
    });
  }

  /** Must get every message of the other process. */
  handleReply(reply: RpcReply): void {
    this.#pending.get(reply.id)?.(reply);
  }

  /** The other process has ended: it replies to nothing any more. */
  close(error: Error): void {
    this.#closeError = error;
    for (const settle of this.#pending.values()) settle(error);
  }
}

/** Runs the requested method and returns the reply. */
export async function handleRpcRequest<Local extends Methods<Local>>(
  methods: Local,
  { id, method, params }: RpcRequest,
): Promise<RpcReply> {
  try {
    return { id, result: await methods[method as keyof Local](...(params as never[])) };
  } catch (error) {
    return { id, error: (error as Error).message };
  }
}
