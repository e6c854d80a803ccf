/**
 * What both elements have in common: a shadow tree with the style sheet, participation in forms, the service that they
 * ask, and the language of their messages.
 */
import { type AddressField, create } from './address-field.js';
import type { FieldHost } from './code-field.js';
import { countryNames } from './country-field.js';
import { nameOf } from './found-cities.js';
import { localeOf, messagesOf } from './messages.js';
import { PlacesClient } from './places-client.js';
import { styleSheet } from './styles.js';
import type { Messages } from './words.js';
import { isWriting, watchWriting } from './writing.js';

export abstract class PostalElement<Detail> extends HTMLElement {
  static readonly formAssociated = true;
  protected static readonly commonAttributes: readonly string[] = ['key', 'api-key', 'api', 'lang'];

  protected readonly internals = this.attachInternals();
  protected readonly root: ShadowRoot;
  /** What the fields see of this element. */
  protected readonly host: FieldHost;
  readonly #status = create('p', { class: 'hint', role: 'status', part: 'hint', dir: 'auto' });
  #client: PlacesClient | undefined;
  /** The last detail that was told, as JSON. */
  #told = '';
  /** Whether the page asks for the validity by a method of the element, and if so whether errors are shown. */
  #asked: 'check' | 'report' | undefined;
  #ownMessages: Partial<Messages> = {};

  constructor() {
    super();
    this.root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    this.root.adoptedStyleSheets = [styleSheet()];
    const element = this;
    this.host = {
      get country() {
        return element.country;
      },
      get countryName() {
        return countryNames(element.language).of(element.country) ?? element.country;
      },
      get client() {
        return element.#openClient();
      },
      get messages() {
        return element.messages;
      },
      get isLatin() {
        return element.isLatin;
      },
      nameOf: (place) => nameOf(place, element.isLatin),
    };
    this.root.append(this.#status);
    watchWriting();
    this.addEventListener('invalid', (event) => this.#onInvalid(event));
    this.root.addEventListener('keypress', (event) => this.#onKey(event as KeyboardEvent));
  }

  /** Two letters. */
  abstract get country(): string;
  /** Writes labels, hints and the order of fields anew. */
  protected abstract update(): void;
  /** The required fields that are empty. */
  protected abstract get missing(): readonly AddressField[];
  protected abstract get detail(): Detail;
  /** Gives the form around what the element contains, by setFormValue. */
  protected abstract publish(): void;

  protected setFormValue(value: FormData | string, state: FormData | string = value): void {
    this.internals.setFormValue(value, state);
    const [missing] = this.missing;
    if (missing === undefined) this.internals.setValidity({});
    else this.internals.setValidity({ valueMissing: true }, this.messages.required, missing.input);
  }

  /** Publishes what the page itself has written, which is no `change`. */
  protected accept(): void {
    this.publish();
    this.#told = JSON.stringify(this.detail);
  }

  /** Publishes, and dispatches a `change` event where anything is new. */
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

  /** Shows the errors beside the fields in place of the browser's bubble, which would hide the next field. */
  #onInvalid(event: Event): void {
    if (this.#asked === 'check' || (this.#asked === undefined && isWriting())) return;
    event.preventDefault();
    for (const field of this.missing) field.error = this.messages.required;
    const first = [...(this.internals.form?.elements ?? [this])].find((one) => one.matches(':invalid:not(fieldset)'));
    // After the browser, which puts the focus on the first field that shows a bubble.
    if (first === this) setTimeout(() => this.missing[0]?.input.focus());
  }

  /** Enter sends the form, as in every field: those of a shadow tree belong to no form. */
  #onKey(event: KeyboardEvent): void {
    const { form } = this.internals;
    if (event.key !== 'Enter' || form === null || !(event.target instanceof HTMLInputElement)) return;
    // After the page, which may want the key for itself, and after the `change` event of the field.
    setTimeout(() => {
      if (event.defaultPrevented) return;
      const button = [...form.elements].find((one) => (one as HTMLButtonElement).type === 'submit');
      if (button === undefined) form.requestSubmit();
      else (button as HTMLButtonElement).click();
    });
  }

  #openClient(): PlacesClient {
    // React and Vue keep `key` for themselves.
    const key = this.getAttribute('api-key') ?? this.getAttribute('key') ?? '';
    const api = this.getAttribute('api') ?? '';
    this.#client ??= new PlacesClient(
      api,
      api === '' ? '' : key,
      // Without extensions, which are long and tell nothing of names.
      () => localeOf(this.language).baseName,
      (hasAnswered) => this.#tellService(hasAnswered),
    );
    return this.#client;
  }

  /** The messages of the element's language, with the page's own in their place. */
  get messages(): Messages {
    return { ...messagesOf(this.language), ...this.#ownMessages };
  }

  set messages(messages: Partial<Messages>) {
    this.#ownMessages = messages;
    if (this.isConnected) this.update();
  }

  /** As in `lang`: that of the element or of what it lies in, else the browser's; English where that is no language. */
  protected get language(): string {
    const near = this.closest<HTMLElement>('[lang]:not([lang=""])')?.lang;
    // In the shadow tree of another component nothing outside is found.
    return localeOf(near || document.documentElement.lang || navigator.language).toString();
  }

  /** Whether the language is written in Latin letters: then a city without a name in it has its Latin name. */
  protected get isLatin(): boolean {
    return localeOf(this.language).maximize().script === 'Latn';
  }

  attributeChangedCallback(name: string): void {
    if (name === 'key' || name === 'api-key' || name === 'api') this.#client = undefined;
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

  /** Shows nothing, as of every field. */
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
