/**
 * Work that takes milliseconds, one piece in each turn of the event loop, of one network after the other: between two pieces
 * everything else is answered, and a visitor waits for at most one piece of each other network, however many one sends.
 */
export class FairTurns {
  /** The requests that wait, by network; the network whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Resolves when it is this request's turn; what follows at once is one piece of work. */
  next(network: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(() => this.#give());
      const line = this.#waiting.get(network);
      if (line === undefined) this.#waiting.set(network, [resolve]);
      else line.push(resolve);
    });
  }

  #give(): void {
    const [entry] = this.#waiting;
    if (entry === undefined) return;
    const [network, line] = entry;
    const begin = line.shift();
    this.#waiting.delete(network);
    if (line.length > 0) this.#waiting.set(network, line);
    if (this.#waiting.size > 0) setImmediate(() => this.#give());
    begin?.();
  }
}
