/**
 * An editable combobox with list autocomplete and manual selection, after the pattern of that name in the ARIA
 * Authoring Practices (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). Typing lists suggestions, arrows move
 * through them while the caret stays in the field, Enter or a click chooses, Escape closes and then empties. Nothing is
 * chosen for the user: what was typed stays until an option is chosen. Works on any input with a list in the same tree.
 */

import { create } from './create-element.js';
import { foldText } from './fold-text.js';

export interface Option<Data> {
  /** The text of the field after the option is chosen. */
  readonly value: string;
  /** The text beside it in the list. */
  readonly detail: string;
  readonly data: Data;
}

export interface ComboboxSettings<Data> {
  /** The input, whose `id` the list's id begins with. */
  readonly input: HTMLInputElement;
  /** An empty element with the role listbox. */
  readonly list: HTMLElement;
  /** Number of characters from which on `suggest` is called. */
  readonly shortestText: number;
  /** Suggestions for a text; if they are undefined or the promise is rejected, nothing is shown or told. */
  readonly suggest: (text: string, signal: AbortSignal) => Promise<readonly Option<Data>[] | undefined>;
  readonly onChoose: (option: Option<Data>) => void;
  /** Called with the number of suggestions when a list opens, or with 0 if there are none for the text. */
  readonly onCount: (count: number) => void;
}

/** Milliseconds from the last letter to a request: most people type the next letter sooner. */
const DEBOUNCE_MS = 150;

export class Combobox<Data> {
  readonly #settings: ComboboxSettings<Data>;
  #options: readonly Option<Data>[] = [];
  /** Number of the active option, to which the arrows have moved; -1 for none. */
  #active = -1;
  /** The options that are known without typing, such as the cities of a code. */
  #choices: readonly Option<Data>[] = [];
  #pending: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: ComboboxSettings<Data>) {
    this.#settings = settings;
    const { input, list } = settings;
    list.hidden = true;
    input.role = 'combobox';
    input.ariaAutoComplete = 'list';
    input.ariaExpanded = 'false';
    input.setAttribute('aria-controls', list.id);
    input.addEventListener('input', (event) => this.#onInput(event as InputEvent));
    input.addEventListener('keydown', (event) => this.#onKey(event));
    input.addEventListener('focus', () => this.#onFocus());
    input.addEventListener('click', () => this.#onFocus());
    input.addEventListener('blur', () => this.close());
    // The field keeps the focus while an option is pressed.
    list.addEventListener('mousedown', (event) => event.preventDefault());
    list.addEventListener('click', ({ target }) => {
      const option = (target as Element).closest('[role=option]');
      if (option !== null) this.#choose([...list.children].indexOf(option));
    });
  }

  /**
   * Offers these options before anything is typed: while the field has the focus and is empty or contains one of them.
   */
  set choices(choices: readonly Option<Data>[]) {
    this.#choices = choices;
    if (this.#isFocused() && this.#settings.input.value === '') this.#onFocus();
  }

  get isOpen(): boolean {
    return !this.#settings.list.hidden;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#pending?.abort();
    const { input, list } = this.#settings;
    list.hidden = true;
    input.ariaExpanded = 'false';
    this.#activate(-1);
  }

  #isFocused(): boolean {
    return this.#settings.input.matches(':focus');
  }

  #onFocus(): void {
    const { value } = this.#settings.input;
    const isChoosing = this.#choices.length > 1 && (value === '' || this.#choices.some((one) => one.value === value));
    if (isChoosing && !this.isOpen) this.#open(this.#choices);
  }

  #onInput({ inputType }: InputEvent): void {
    this.close();
    // A browser that fills in the whole form sends an event without a type, and often without the focus.
    const isTyped = this.#isFocused() && inputType !== undefined && inputType !== 'insertReplacementText';
    if (!isTyped) return;
    const { input, shortestText } = this.#settings;
    const text = input.value.trim();
    const chosen = this.#choices.filter(({ value }) => startsAlike(value, text));
    if (chosen.length > 0) this.#open(chosen);
    else if (text.length >= shortestText) this.#timer = setTimeout(() => void this.#suggest(text), DEBOUNCE_MS);
  }

  async #suggest(text: string): Promise<void> {
    const pending = new AbortController();
    this.#pending = pending;
    const options = await this.#settings.suggest(text, pending.signal).catch(() => undefined);
    if (pending.signal.aborted || !this.#isFocused() || options === undefined) return;
    if (options.length > 0) this.#open(options);
    else this.#settings.onCount(0);
  }

  #open(options: readonly Option<Data>[]): void {
    const { input, list, onCount } = this.#settings;
    this.#options = options;
    list.replaceChildren(...options.map((option, index) => renderOption(option, `${list.id}-${index}`)));
    list.hidden = false;
    input.ariaExpanded = 'true';
    this.#activate(-1);
    onCount(options.length);
  }

  #activate(index: number): void {
    const { input, list } = this.#settings;
    this.#active = index;
    for (const [at, option] of [...list.children].entries()) option.ariaSelected = `${at === index}`;
    const option = list.children[index];
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else {
      input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    }
  }

  #choose(index: number): void {
    const option = this.#options[index];
    if (option === undefined) return;
    this.#settings.input.value = option.value;
    this.close();
    this.#settings.onChoose(option);
  }

  #onKey(event: KeyboardEvent): void {
    // An input method that composes a character handles its keys itself.
    if (event.isComposing) return;
    const isHandled = this.isOpen ? this.#onKeyOpen(event) : this.#onKeyClosed(event);
    if (isHandled) event.preventDefault();
  }

  #onKeyOpen({ key, altKey }: KeyboardEvent): boolean {
    const count = this.#options.length;
    switch (key) {
      case 'ArrowDown':
        // After the last option comes the first one.
        this.#activate((this.#active + 1) % count);
        return true;
      case 'ArrowUp':
        if (altKey) this.close();
        else this.#activate(this.#active <= 0 ? count - 1 : this.#active - 1);
        return true;
      case 'Enter':
        if (this.#active < 0) {
          this.close();
          return false;
        }
        this.#choose(this.#active);
        return true;
      case 'Escape':
        this.close();
        return true;
      case 'ArrowLeft':
      case 'ArrowRight':
      case 'Home':
      case 'End':
        // The caret moves in the text.
        this.#activate(-1);
        return false;
    }
    return false;
  }

  #onKeyClosed({ key, altKey }: KeyboardEvent): boolean {
    const { input, shortestText } = this.#settings;
    if (key === 'Escape' && input.value !== '') {
      input.value = '';
      input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'deleteContent' }));
      // The browser sends no `change` for a text that a script has written.
      input.dispatchEvent(new Event('change', { bubbles: true }));
      return true;
    }
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return false;
    const text = input.value.trim();
    const activate = (): void => {
      if (this.isOpen && !altKey) this.#activate(key === 'ArrowDown' ? 0 : this.#options.length - 1);
    };
    if (this.#choices.length > 0 && (text === '' || this.#choices.some(({ value }) => value === text))) {
      this.#open(this.#choices);
      activate();
    } else if (text.length >= shortestText) void this.#suggest(text).then(activate);
    return true;
  }
}

function renderOption({ value, detail }: Option<unknown>, id: string): HTMLElement {
  // Names are of any script, in a page of any direction.
  const texts = [create('span', { dir: 'auto' }, value), ' ', create('small', { dir: 'auto' }, detail)];
  return create('li', { id, role: 'option', part: 'option' }, ...texts);
}

/** Whether the text is the start of the value, without regard to case, accents, spaces and hyphens. */
function startsAlike(value: string, text: string): boolean {
  return text !== '' && foldText(value).startsWith(foldText(text));
}
