/**
 * The base of both elements: a shadow tree with the style sheet, participation in forms, the client of the API, and the
 * language of messages.
 */

import type { AddressField } from './address-field.js';
import { countryNames } from './country-names.js';
import { create } from './create-element.js';
import type { FieldHost } from './field-host.js';
import { localeOf } from './locale.js';
import type { Messages } from './message-texts.js';
import { messagesOf } from './messages.js';
import { PlacesClient } from './places-client.js';
import { styleSheet } from './styles.js';
import { isWriting, watchWriting } from './user-writing.js';

export abstract class PostalElement<Detail> extends HTMLElement implements FieldHost {
  static readonly formAssociated = true;
  protected static readonly commonAttributes: readonly string[] = ['key', 'api-key', 'api', 'lang', 'address-lang'];

  protected readonly internals = this.attachInternals();
  protected readonly root: ShadowRoot;
  readonly #status = create('p', { class: 'hint', role: 'status', part: 'hint', dir: 'auto' });
  #client: PlacesClient | undefined;
  /** The detail of the last `change` event, as JSON. */
  #told = '';
  /** The method by which the page is asking for the validity: `report` shows errors, `check` does not. */
  #asked: 'check' | 'report' | undefined;
  #ownMessages: Partial<Messages> = {};

  constructor() {
    super();
    this.root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    this.root.adoptedStyleSheets = [styleSheet()];
    this.root.append(this.#status);
    watchWriting();
    this.addEventListener('invalid', (event) => this.#onInvalid(event));
    this.root.addEventListener('keypress', (event) => this.#onKey(event as KeyboardEvent));
  }

  /** Two letters. */
  abstract get country(): string;
  /** Writes labels, hints and the order of fields again. */
  protected abstract update(): void;
  /** The required fields that are empty. */
  protected abstract get missing(): readonly AddressField[];
  protected abstract get detail(): Detail;
  /** Gives the values to the form around the element, by setFormValue. */
  protected abstract publish(): void;

  protected setFormValue(value: FormData | string, state: FormData | string = value): void {
    this.internals.setFormValue(value, state);
    const [missing] = this.missing;
    if (missing === undefined) this.internals.setValidity({});
    else this.internals.setValidity({ valueMissing: true }, this.messages.required, missing.input);
  }

  /** Publishes a value that the page has written, which is no `change`. */
  protected accept(): void {
    this.publish();
    this.#told = JSON.stringify(this.detail);
  }

  /** Publishes, and dispatches a `change` event if anything is new. */
  protected tell(): void {
    const told = this.#told;
    this.accept();
    const { detail } = this;
    if (this.#told === told) return;
    this.dispatchEvent(new CustomEvent('change', { bubbles: true, composed: true, detail }));
  }

  #tellService(hasAnswered: boolean): void {
    const text = hasAnswered ? '' : this.messages.serviceAway;
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  /** Shows errors beside the fields, instead of the browser's bubble, which would hide the next field. */
  #onInvalid(event: Event): void {
    if (this.#asked === 'check' || (this.#asked === undefined && isWriting())) return;
    event.preventDefault();
    for (const field of this.missing) field.error = this.messages.required;
    const first = [...(this.internals.form?.elements ?? [this])].find((one) => one.matches(':invalid:not(fieldset)'));
    // Later, since the browser now puts the focus on the first field that shows a bubble.
    if (first === this) setTimeout(() => this.missing[0]?.input.focus());
  }

  /** Enter sends the form, as in every field: those of a shadow tree belong to no form. */
  #onKey(event: KeyboardEvent): void {
    const { form } = this.internals;
    if (event.key !== 'Enter' || form === null || !(event.target instanceof HTMLInputElement)) return;
    // Later, since the page may handle the key itself, and after the `change` event of the field.
    setTimeout(() => {
      if (event.defaultPrevented) return;
      const button = [...form.elements].find((one) => (one as HTMLButtonElement).type === 'submit');
      if (button === undefined) form.requestSubmit();
      else (button as HTMLButtonElement).click();
    });
  }

  get countryName(): string {
    return countryNames(this.language).of(this.country) ?? this.country;
  }

  get client(): PlacesClient {
    // React and Vue keep `key` for themselves.
    const key = this.getAttribute('api-key') ?? this.getAttribute('key') ?? '';
    const api = this.getAttribute('api') ?? '';
    const language = this.#addressLanguage;
    this.#client ??= new PlacesClient(
      api,
      api === '' ? '' : key,
      // Without extensions, which are long and don't change names.
      language && localeOf(language).baseName,
      (hasAnswered) => this.#tellService(hasAnswered),
    );
    return this.#client;
  }

  /** The messages of the element's language, or the page's own. */
  get messages(): Messages {
    return { ...messagesOf(this.language), ...this.#ownMessages };
  }

  set messages(messages: Partial<Messages>) {
    this.#ownMessages = messages;
    if (this.isConnected) this.update();
  }

  /** The `lang` of the element or of an ancestor, else the browser's language; English for what is no language. */
  protected get language(): string {
    const near = this.closest<HTMLElement>('[lang]:not([lang=""])')?.lang;
    // `closest` finds nothing outside of the shadow tree of another component.
    return localeOf(near || document.documentElement.lang || navigator.language).toString();
  }

  /** The language of cities and states; null or '' for that of their country. */
  get #addressLanguage(): string | null {
    return this.getAttribute('address-lang');
  }

  /** Names of the country's own language are in its script, but on a page in Latin letters in these. */
  get isLocal(): boolean {
    return !this.#addressLanguage && localeOf(this.language).maximize().script !== 'Latn';
  }

  attributeChangedCallback(name: string): void {
    if (/key|api|address/.test(name)) this.#client = undefined;
    if (this.isConnected) this.update();
  }

  get form(): HTMLFormElement | null {
    return this.internals.form;
  }

  get validity(): ValidityState {
    return this.internals.validity;
  }

  get validationMessage(): string {
    return this.internals.validationMessage;
  }

  get willValidate(): boolean {
    return this.internals.willValidate;
  }

  /** Shows no errors, like the method of any field. */
  checkValidity(): boolean {
    this.#asked = 'check';
    const isValid = this.internals.checkValidity();
    this.#asked = undefined;
    return isValid;
  }

  reportValidity(): boolean {
    this.#asked = 'report';
    const isValid = this.internals.reportValidity();
    this.#asked = undefined;
    return isValid;
  }
}
