/**
 * `<postal-address-form>`: the fields of an address, in the order and words of its country. The user may write anything
 * at any time, and no answer of the service, or the lack of one, keeps the form from being sent. The form around it
 * sends plain fields, named like those between its tags, which people without scripts see in its place.
 */

import { AddressFields, AUTOFILL, FIELD_NAMES } from './address-fields.js';
import { addressFormatOf, type FieldName } from './address-format.js';
import type { FoundCode, Place } from './api-answers.js';
import { CountryField } from './country-field.js';
import { create } from './create-element.js';
import { adoptFallback, type SentName } from './fallback.js';
import { PostalElement } from './postal-element.js';

/** The address in the form; a field that the country's addresses lack is ''. */
export interface Address {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly street: string;
  readonly suburb: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
}

/** The `detail` of a `change` event. */
export interface AddressChange {
  readonly value: Address;
  /** The place of this code and city; null if the API knows none, or has not answered yet. */
  readonly place: Place | null;
  /** How the API knows the code; null before it has answered. */
  readonly match: FoundCode['match'] | null;
}

export class PostalAddressForm extends PostalElement<AddressChange> {
  static readonly observedAttributes = [
    ...['country', 'countries', 'fields', 'autocomplete', 'name'],
    ...PostalElement.commonAttributes,
  ];

  readonly #country = new CountryField(() => {
    this.#arrange();
    this.#fields.changeCountry();
    this.tell();
  });
  readonly #fields = new AddressFields(
    this,
    () => this.publish(),
    () => this.tell(),
  );
  readonly #set = create('fieldset', { part: 'fields' });
  /** The names under which fields are sent, as far as the page has chosen them. */
  readonly #names: Partial<Record<SentName, string>> = {};
  /** The values after a reset. */
  #initial: Partial<Address> = {};

  constructor() {
    super();
    this.root.prepend(this.#set);
  }

  connectedCallback(): void {
    this.update();
    this.#adopt();
    // A parser that has not reached the end of the element will add more fields.
    if (document.readyState === 'loading') {
      document.addEventListener('DOMContentLoaded', () => this.#adopt(), { once: true });
    }
  }

  get country(): string {
    return this.#country.value;
  }

  set country(code: string) {
    this.setAttribute('country', code);
  }

  get value(): Address {
    const shown = this.#shown;
    const texts = FIELD_NAMES.map((name) => [keyOf(name), shown.includes(name) ? this.#fields.all[name].value : '']);
    return { country: this.country, ...Object.fromEntries(texts) };
  }

  /** Writes these fields and leaves the others; the texts count as typed by the user. */
  set value(value: Partial<Address>) {
    // Frameworks write it before the element is in the page, where its list of countries is made.
    if (!this.isConnected) this.update();
    if (value.country !== undefined && value.country !== this.country) {
      this.#country.value = value.country;
      this.#arrange();
      this.#fields.changeCountry();
    }
    for (const name of FIELD_NAMES) {
      const text = value[keyOf(name)];
      if (text !== undefined) this.#fields.all[name].write(text);
    }
    void this.#fields.lookUp();
    this.accept();
  }

  /** The place of code and city; null if the API knows none, or has not answered yet. */
  get place(): Place | null {
    return this.#fields.place ?? null;
  }

  /** How the API knows the code; null before it has answered. */
  get match(): AddressChange['match'] {
    return this.#fields.match ?? null;
  }

  formResetCallback(): void {
    this.value = { street: '', suburb: '', city: '', state: '', postalCode: '', ...this.#initial };
  }

  formDisabledCallback(isDisabled: boolean): void {
    this.#set.disabled = isDisabled;
  }

  formStateRestoreCallback(state: unknown): void {
    if (state instanceof FormData) this.value = Object.fromEntries(state) as Partial<Address>;
  }

  protected override update(): void {
    const { messages, language } = this;
    const before = this.country;
    this.#country.describe(messages, language, this.getAttribute('countries'), this.getAttribute('country'));
    this.#set.setAttribute('aria-label', messages.address);
    // Messages may be English on a page in another language, and screen readers must read them as English.
    this.#set.lang = messages.language;
    this.#country.select.lang = language;
    const prefix = this.getAttribute('autocomplete') ?? '';
    const token = (name: string): AutoFill => `${prefix} ${name}`.trim() as AutoFill;
    this.#country.select.autocomplete = token('country');
    for (const name of FIELD_NAMES) {
      const { input } = this.#fields.all[name];
      input.autocomplete = token(AUTOFILL[name]);
      input.lang = language;
    }
    this.#arrange();
    if (before === this.country) this.#fields.describe();
    else this.#fields.changeCountry();
    this.publish();
  }

  protected override get missing() {
    const { required } = addressFormatOf(this.country);
    const fields = this.#shown.filter((name) => required.includes(name)).map((name) => this.#fields.all[name]);
    // A field that is being moved is in no tree while its `change` event comes.
    return fields.filter(({ value, input }) => value === '' && input.isConnected);
  }

  protected override get detail(): AddressChange {
    return { value: this.value, place: this.place, match: this.match };
  }

  protected override publish(): void {
    const prefix = this.getAttribute('name');
    const { value } = this;
    const [sent, state] = [new FormData(), new FormData()];
    for (const [key, text] of Object.entries(value)) state.append(key, text);
    for (const name of ['country', ...this.#shown] as const) {
      sent.append(this.#names[name] ?? (prefix === null ? name : `${prefix}-${name}`), value[keyOf(name)]);
    }
    this.setFormValue(sent, state);
  }

  /** The shown fields, in the country's order. */
  get #shown(): readonly FieldName[] {
    const chosen = this.getAttribute('fields')?.split(/[\s,]+/);
    return addressFormatOf(this.country).fields.filter((name) => chosen === undefined || chosen.includes(name));
  }

  #arrange(): void {
    const elements = [this.#country.element, ...this.#shown.map((name) => this.#fields.all[name].element)];
    const { children } = this.#set;
    // A field that is moved loses the focus: the country, which is first, never moves.
    for (const [at, element] of elements.entries()) {
      if (children[at] !== element) this.#set.insertBefore(element, children[at] ?? null);
    }
    for (const element of [...children].slice(elements.length)) element.remove();
  }

  /** Takes over names and values of the plain fields between the tags. */
  #adopt(): void {
    const adopted = Object.entries(adoptFallback(this));
    const values: Record<string, string> = {};
    for (const [name, { name: sent, value }] of adopted) {
      if (sent !== '') this.#names[name as SentName] = sent;
      if (value !== '') values[keyOf(name as SentName)] = value;
    }
    if (adopted.length > 0) this.value = values;
    const { country = this.country } = values.country === undefined ? this.#initial : {};
    this.#initial = { ...this.#initial, ...values, country };
    const [written] = adopted.find(([, { hasFocus }]) => hasFocus) ?? [];
    if (written === 'country') this.#country.select.focus();
    else if (written !== undefined) this.#fields.all[written as FieldName].goOn();
  }
}

/** The name of a field in an Address. */
function keyOf(name: SentName): keyof Address {
  return name === 'postal-code' ? 'postalCode' : name;
}
