/**
 * The file that Redis appends its writes to, watched so that its end can be cut off where it was some time ago, as a
 * machine that loses power does with what was not synced. Each cut leaves copies from which can be told what it took.
 */
import { cpSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';

/** Folders that a Redis can be started in. */
export interface PowerCut {
  readonly whole: string;
  readonly cut: string;
}

const FOLDER = 'appendonlydir';
const SAMPLE_EVERY_MS = 20;
const SAMPLES_KEPT = 100;

export class AppendOnlyFile {
  readonly #name: string;
  readonly #timer: NodeJS.Timeout;
  readonly #copies = createTemporaryFolder();
  #samples: { readonly atMs: number; readonly bytes: number }[] = [];
  #cutCount = 0;

  /** `dir` is that of a Redis that runs. It is never rewritten: that comes with 64 MB, out of reach of a soak. */
  constructor(private readonly dir: string) {
    const name = readdirSync(join(dir, FOLDER)).find((each) => each.endsWith('.incr.aof'));
    if (name === undefined) throw new Error(`no append-only file in ${dir}`);
    this.#name = name;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_EVERY_MS);
  }

  /** Cuts off an end of it that was written after `sinceMs`; where is drawn, as a rule within a command. */
  cut(sinceMs: number, random: () => number): PowerCut {
    const number = ++this.#cutCount;
    const whole = this.#copy(`${number}-whole`);
    const { size } = statSync(this.#path());
    const kept = this.#samples.find(({ atMs }) => atMs >= sinceMs)?.bytes ?? size;
    truncateSync(this.#path(), kept + Math.floor(random() * (size - kept)));
    return { whole, cut: this.#copy(`${number}-cut`) };
  }

  /** Ends the watching and removes the copies. */
  close(): void {
    clearInterval(this.#timer);
    this.#copies.remove();
  }

  #path(): string {
    return join(this.dir, FOLDER, this.#name);
  }

  #copy(name: string): string {
    const copy = join(this.#copies.path, name);
    cpSync(join(this.dir, FOLDER), join(copy, FOLDER), { recursive: true });
    return copy;
  }

  #sample(): void {
    this.#samples.push({ atMs: Date.now(), bytes: statSync(this.#path()).size });
    if (this.#samples.length > SAMPLES_KEPT) this.#samples.shift();
  }
}
