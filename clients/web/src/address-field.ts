/**
 * One field of an address: a label, an input, a hint and an error; with suggestions also a list, and a status that
 * tells their number to screen readers. All ids begin with the field's name, so a tree has one field of each name.
 */

import { Combobox, type ComboboxSettings, type Option } from './combobox.js';
import { create } from './create-element.js';
import type { FieldHost } from './field-host.js';
import { formatCount } from './messages.js';

export interface FieldSettings {
  readonly name: string;
  /** A field name of HTML's autofill, such as `postal-code`. */
  readonly autocomplete: string;
  /** Called when the user or the browser has changed the text. */
  readonly onInput: () => void;
  /** Called when the text is complete: the user has left the field, or the browser has filled it in. */
  readonly onChange: () => void;
}

export class AddressField {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #label: HTMLLabelElement;
  readonly #box: HTMLElement;
  readonly #hint: HTMLElement;
  readonly #error: HTMLElement;
  #list: HTMLElement | undefined;
  #status: HTMLElement | undefined;
  /** How the text came: only a text that the element has filled in may be replaced by another. */
  source: 'typed' | 'chosen' | 'filled' = 'typed';

  constructor({ name, autocomplete, onInput, onChange }: FieldSettings) {
    this.#label = create('label', { for: name, part: 'label', dir: 'auto' });
    this.input = create('input', {
      id: name,
      part: `input ${name}`,
      // Addresses are of any script, in a page of any direction.
      dir: 'auto',
      autocomplete,
      'aria-describedby': `${name}-error ${name}-hint`,
    });
    this.#error = create('p', { id: `${name}-error`, class: 'error', part: 'error', dir: 'auto' });
    this.#hint = create('p', { id: `${name}-hint`, class: 'hint', part: 'hint', dir: 'auto', 'aria-live': 'polite' });
    this.#box = create('div', { class: 'box' }, this.input);
    const parts = [this.#label, this.#box, this.#error, this.#hint];
    this.element = create('div', { class: `field ${name}`, part: 'field' }, ...parts);
    this.input.addEventListener('input', () => {
      this.source = 'typed';
      this.error = '';
      onInput();
    });
    this.input.addEventListener('change', onChange);
  }

  addCombobox<Data>(
    host: FieldHost,
    settings: Omit<ComboboxSettings<Data>, 'input' | 'list' | 'onCount'>,
  ): Combobox<Data> {
    const { id } = this.input;
    this.#list = create('ul', { id: `${id}-list`, role: 'listbox', part: 'list' });
    this.#status = create('span', { class: 'hidden', role: 'status' });
    this.#box.append(this.#list, this.#status);
    const onChoose = (option: Option<Data>): void => {
      this.source = 'chosen';
      this.error = '';
      settings.onChoose(option);
    };
    const onCount = (count: number): void => {
      this.status = formatCount(host.messages.resultCount, count, host.messages.language);
    };
    return new Combobox({ input: this.input, list: this.#list, ...settings, onChoose, onCount });
  }

  get value(): string {
    return this.input.value.trim();
  }

  /** Whether the field is empty or filled in by the element, so that the element may write it. */
  get isFree(): boolean {
    return this.value === '' || this.source === 'filled';
  }

  /** Writes a text as if the user had typed it. */
  write(text: string): void {
    this.error = '';
    // A page may write back the text of a `change` event, which the element has filled in.
    if (text === this.input.value) return;
    this.input.value = text;
    this.source = 'typed';
  }

  /** Puts the caret behind the text, for a user who was writing it in another field. */
  goOn(): void {
    this.input.focus();
    this.input.setSelectionRange(this.input.value.length, this.input.value.length);
  }

  /** Writes a text that the element may replace later. */
  fill(text: string): void {
    this.write(text);
    this.source = 'filled';
  }

  /** `note` stands behind the label, such as "optional". */
  describe(label: string, note: string, listName: string): void {
    this.#label.textContent = label;
    if (note !== '') this.#label.append(' ', create('small', {}, `(${note})`));
    this.#list?.setAttribute('aria-label', listName);
  }

  get label(): string {
    return this.#label.firstChild?.textContent ?? '';
  }

  set hint(text: string) {
    this.#hint.textContent = text;
  }

  set error(text: string) {
    this.#error.textContent = text;
    this.input.ariaInvalid = text === '' ? null : 'true';
  }

  /** Read aloud and not shown. */
  set status(text: string) {
    if (this.#status !== undefined) this.#status.textContent = text;
  }
}
