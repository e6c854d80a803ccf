/**
 * A queue for work that takes a millisecond or more: it runs one piece in each turn of the event loop, of one client
 * after the other. Between two pieces everything else is answered, and a client waits for at most one piece of each
 * other client, however much one client asks for. A client is a key,
 * or a network where many share one.
 */
export class FairQueue {
  /** The waiting pieces of each client; the client that comes next stands first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Resolves when the piece may start; the synchronous code after it is one piece of work. */
  enter(client: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(() => this.#runNext());
      const line = this.#waiting.get(client);
      if (line === undefined) this.#waiting.set(client, [resolve]);
      else line.push(resolve);
    });
  }

  #runNext(): void {
    const [entry] = this.#waiting;
    if (entry === undefined) return;
    const [client, line] = entry;
    const begin = line.shift();
    this.#waiting.delete(client);
    if (line.length > 0) this.#waiting.set(client, line);
    if (this.#waiting.size > 0) setImmediate(() => this.#runNext());
    begin?.();
  }
}
