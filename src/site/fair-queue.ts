/**
 * A queue for work that takes milliseconds: it runs one piece in each turn of the event loop, of one network after the
 * other. Between two pieces everything else is answered, and a request waits for at most one piece of each other
 * network, however many requests one network sends.
 */
export class FairQueue {
  /** The waiting requests of each network; the network that comes next stands first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Resolves when the request may start; the synchronous code after it is one piece of work. */
  enter(network: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(() => this.#runNext());
      const line = this.#waiting.get(network);
      if (line === undefined) this.#waiting.set(network, [resolve]);
      else line.push(resolve);
    });
  }

  #runNext(): void {
    const [entry] = this.#waiting;
    if (entry === undefined) return;
    const [network, line] = entry;
    const begin = line.shift();
    this.#waiting.delete(network);
    if (line.length > 0) this.#waiting.set(network, line);
    if (this.#waiting.size > 0) setImmediate(() => this.#runNext());
    begin?.();
  }
}
