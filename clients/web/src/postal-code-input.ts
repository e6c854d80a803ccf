/**
 * `<postal-code-input>`: the field of a postal code alone, for forms that have the other fields already. It suggests
 * codes and says what is known about its code; its `change` event has the place, for the page to use. The page labels
 * it like any input, with `<label for>` or a label around it.
 */

import { addressFormatOf } from './address-format.js';
import type { FoundCode, Place } from './api-answers.js';
import { CodeField } from './code-field.js';
import { adoptFallback } from './fallback.js';
import { type City, citiesOf, decidedCity } from './found-cities.js';
import { format } from './messages.js';
import { PostalElement } from './postal-element.js';

/** The `detail` of a `change` event. */
export interface PostalCodeChange {
  readonly value: string;
  /** The place of the code if it has one city, else null. */
  readonly place: Place | null;
  /** Places of the code, at most 100; none if the code is unknown, or the API has not answered yet. */
  readonly places: readonly Place[];
  /** How the API knows the code; null before it has answered. */
  readonly match: FoundCode['match'] | null;
}

export class PostalCodeInput extends PostalElement<PostalCodeChange> {
  static readonly observedAttributes = ['country', 'label', 'required', ...PostalElement.commonAttributes];

  readonly #code = new CodeField(
    this,
    { name: 'postal-code', autocomplete: 'postal-code', onInput: () => this.publish() },
    () => this.#onFound(),
  );
  #country = '';
  /** The value after a reset; undefined before the element is in a page. */
  #initial: string | undefined;

  constructor() {
    super();
    this.root.prepend(this.#code.field.element);
  }

  connectedCallback(): void {
    const { 'postal-code': fallback } = adoptFallback(this);
    if (fallback !== undefined && fallback.name !== '' && !this.hasAttribute('name')) this.name = fallback.name;
    if (this.#initial === undefined) {
      this.#code.field.input.value ||= fallback?.value ?? this.getAttribute('value') ?? '';
      this.#initial = this.#code.field.value;
    }
    this.update();
    if (fallback?.hasFocus) this.#code.field.goOn();
    void this.#code.lookUp();
  }

  /** Two letters. */
  get country(): string {
    return (this.getAttribute('country') ?? '').toUpperCase();
  }

  set country(code: string) {
    this.setAttribute('country', code);
  }

  get name(): string {
    return this.getAttribute('name') ?? '';
  }

  set name(name: string) {
    this.setAttribute('name', name);
  }

  get value(): string {
    return this.#code.field.value;
  }

  set value(text: string) {
    this.#code.field.write(text);
    void this.#code.lookUp();
    this.accept();
  }

  formResetCallback(): void {
    this.value = this.#initial ?? '';
  }

  formDisabledCallback(isDisabled: boolean): void {
    this.#code.field.input.disabled = isDisabled;
  }

  formStateRestoreCallback(state: unknown): void {
    if (typeof state === 'string') this.value = state;
  }

  protected override update(): void {
    const { messages, country } = this;
    const layout = addressFormatOf(country);
    const term = messages[layout.terms['postal-code']];
    const { field } = this.#code;
    field.element.lang = messages.language;
    const outer = [...this.internals.labels].map(({ textContent }) => textContent?.trim()).join(' ');
    const own = this.getAttribute('label');
    // The page itself shows its own label.
    field.describe(
      own ?? (outer === '' ? term : ''),
      '',
      format(messages.suggestions, { label: own ?? (outer || term) }),
    );
    if (own === null && outer !== '') field.input.ariaLabel = outer;
    field.input.required = this.hasAttribute('required');
    if (country !== this.#country) {
      this.#country = country;
      this.#code.adapt(layout);
      void this.#code.lookUp();
    }
    this.publish();
  }

  protected override get missing() {
    const { field } = this.#code;
    return field.input.required && field.value === '' ? [field] : [];
  }

  protected override get detail(): PostalCodeChange {
    const { found } = this.#code;
    return {
      value: this.value,
      place: this.#city?.place ?? null,
      places: found?.places ?? [],
      match: found?.match ?? null,
    };
  }

  protected override publish(): void {
    this.setFormValue(this.value);
  }

  get #city(): City | undefined {
    const { found } = this.#code;
    return found && decidedCity(found, citiesOf(found, this.isLocal));
  }

  #onFound(): void {
    this.#code.field.status = this.#city?.name ?? '';
    this.tell();
  }
}
