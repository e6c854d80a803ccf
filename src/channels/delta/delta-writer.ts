/** Writes the segments and steps of a delta (delta-layout.ts). Steps of one kind that follow each other become one. */
import {
  COPY,
  CORRECT,
  encodeSigned,
  INSERT,
  joinDelta,
  ListWriter,
  MOVE,
  REPLACE,
  STEP_KINDS,
  type StepKind,
} from './delta-layout.js';

export class DeltaWriter {
  readonly #steps = new ListWriter();
  readonly #corrections = new ListWriter();
  readonly #literals = new ListWriter();
  #kind: StepKind = COPY;
  #count = 0;
  /** Where the cursor is, in bytes of the base. */
  #cursor = 0;
  #width = 1;

  /** `base` is where the cursor goes, in bytes from the start of the base. */
  beginSegment(count: number, isNumbers: boolean, base: number): void {
    this.#flush();
    this.#steps.writeVarint(2 * count + Number(isNumbers));
    this.#steps.writeVarint(encodeSigned(base - this.#cursor));
    this.#cursor = base;
    this.#width = isNumbers ? 4 : 1;
  }

  copy(count: number): void {
    this.#add(COPY, count);
    this.#cursor += count * this.#width;
  }

  /** `difference` from the predicted number. */
  correct(difference: number): void {
    this.#add(CORRECT, 1);
    this.#corrections.writeVarint(encodeSigned(difference));
    this.#cursor += this.#width;
  }

  replace(elements: Uint8Array): void {
    this.#add(REPLACE, elements.length / this.#width);
    this.#literals.writeBytes(elements);
    this.#cursor += elements.length;
  }

  insert(elements: Uint8Array): void {
    this.#add(INSERT, elements.length / this.#width);
    this.#literals.writeBytes(elements);
  }

  move(distance: number): void {
    this.#add(MOVE, distance);
    this.#cursor += distance * this.#width;
  }

  /** Length of the delta so far, in bytes; what is not written yet is a few more. */
  get length(): number {
    return this.#steps.bytes.length + this.#corrections.bytes.length + this.#literals.bytes.length;
  }

  /** The delta. */
  end(): Buffer {
    this.#flush();
    return joinDelta({
      steps: this.#steps.bytes,
      corrections: this.#corrections.bytes,
      literals: this.#literals.bytes,
    });
  }

  #add(kind: StepKind, count: number): void {
    if (count === 0) return;
    if (kind !== this.#kind) this.#flush();
    this.#kind = kind;
    this.#count += count;
  }

  #flush(): void {
    if (this.#count === 0) return;
    const count = this.#kind === MOVE ? encodeSigned(this.#count) : this.#count;
    this.#steps.writeVarint(STEP_KINDS * count + this.#kind);
    this.#count = 0;
  }
}
