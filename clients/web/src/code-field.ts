/**
 * The field of a postal code. It suggests codes, looks up a complete code, and says what the API knows about it. None
 * of this blocks the form: real addresses are newer than data.
 */

import { AddressField, type FieldSettings } from './address-field.js';
import { type AddressFormat, addressFormatOf } from './address-format.js';
import type { FoundCode } from './api-answers.js';
import type { Combobox, Option } from './combobox.js';
import type { FieldHost } from './field-host.js';
import { foldText } from './fold-text.js';
import { townOf } from './found-cities.js';
import { format, formatCount } from './messages.js';

/** Number of characters after which codes are suggested in any country; in countries with short codes fewer. */
const LONGEST_START = 5;

/** Maximum number of characters of a code that the API takes. */
const MAX_CODE_LENGTH = 20;

/** A sign of the country before the code in some countries' data, which patterns lack: `L-1323`. */
const COUNTRY_SIGN = /^[A-Z]{1,2}-/;

export class CodeField {
  readonly field: AddressField;
  readonly #combobox: Combobox<undefined>;
  readonly #host: FieldHost;
  readonly #onFound: () => void;
  readonly #cityOf: () => string;
  #pending: AbortController | undefined;
  #asked = '';
  /** What the API knows about the code in the field; undefined before it has answered. */
  found: FoundCode | undefined;
  /** Whether the API failed to answer about the code in the field. */
  isUnanswered = false;
  /** The place that stood beside the chosen code in the list; '' for a typed code. */
  chosenPlace = '';

  /**
   * `onFound` is called when `found` has changed or can't be asked for, `onInput` for every letter. `cityOf` gives the
   * city of the form, whose codes are suggested first.
   */
  constructor(
    host: FieldHost,
    settings: Omit<FieldSettings, 'onChange'>,
    onFound: () => void,
    cityOf: () => string = () => '',
  ) {
    this.#host = host;
    this.#cityOf = cityOf;
    this.#onFound = onFound;
    this.field = new AddressField({
      ...settings,
      onInput: () => {
        this.#forget();
        settings.onInput();
        if (this.#isWhole(this.code)) void this.lookUp();
      },
      onChange: () => {
        void this.lookUp();
        onFound();
      },
    });
    this.#combobox = this.field.addCombobox(host, {
      shortestText: 1,
      suggest: (text, signal) => this.#suggest(text, signal),
      onChoose: ({ detail }) => {
        settings.onInput();
        void this.lookUp();
        this.chosenPlace = detail;
      },
    });
    const { input } = this.field;
    // A letter that was written and taken back is no `change`, but the field has forgotten the answer.
    input.addEventListener('blur', () => void this.lookUp());
    input.spellcheck = false;
    input.maxLength = MAX_CODE_LENGTH;
    // Codes are Latin and run from left to right in a page of any direction.
    input.dir = 'ltr';
  }

  get code(): string {
    return this.field.value.replace(/\s+/g, ' ').toUpperCase();
  }

  /** Adapts the keyboard of phones to the country's codes, and forgets the answer about another country. */
  adapt({ hasNumericCodes }: AddressFormat): void {
    const { input } = this.field;
    input.inputMode = hasNumericCodes ? 'numeric' : 'text';
    input.autocapitalize = hasNumericCodes ? 'off' : 'characters';
    this.#forget();
    this.#combobox.choices = [];
  }

  /** Offers the whole ones among these codes of a city without typing, and says so. */
  offer(codes: readonly string[]): readonly string[] {
    const { messages } = this.#host;
    const whole = codes.filter((code) => this.#canOffer(code));
    this.#combobox.choices = whole.map((code) => ({ value: code, detail: '', data: undefined }));
    if (this.code === '') {
      this.field.hint = whole.length > 1 ? formatCount(messages.chooseCode, whole.length, messages.language) : '';
    }
    return whole;
  }

  /** Asks the API about the code, once. Resolves when the field shows the answer. */
  async lookUp(): Promise<void> {
    const { client, country } = this.#host;
    const { code } = this;
    if (this.#asked === code) return;
    this.#forget();
    this.#asked = code;
    if (code === '') return;
    const pending = new AbortController();
    this.#pending = pending;
    try {
      const found = await client.findCode(country, code, pending.signal);
      // A cached answer comes even if the request was aborted.
      pending.signal.throwIfAborted();
      // The start of a code says nothing about the rest: 9021 is none of 09021.
      this.found = found && { ...found, places: this.#isMeant(found) ? found.places : [] };
      this.field.hint = this.found === undefined ? '' : this.#hintOf(this.found);
      this.#onFound();
    } catch {
      if (!pending.signal.aborted) {
        this.#asked = '';
        this.isUnanswered = true;
        this.#onFound();
      }
    }
  }

  #forget(): void {
    this.#pending?.abort();
    this.#asked = '';
    this.found = undefined;
    this.isUnanswered = false;
    this.chosenPlace = '';
    this.field.hint = '';
    this.field.status = '';
  }

  /** False for the first part of a code, all that the data of some countries has: nobody wants it in an address. */
  #canOffer(code: string): boolean {
    return addressFormatOf(this.#host.country).postalCodePattern === undefined || this.#isWhole(code);
  }

  /** Whether the API means the typed code, and has not completed its start. */
  #isMeant({ match, postcode }: FoundCode): boolean {
    const { code } = this;
    const isRespelt = match === 'normalised' && postcode.length <= code.length;
    return isRespelt || match === 'exact' || this.#canOffer(code);
  }

  #isWhole(code: string): boolean {
    const { postalCodePattern } = addressFormatOf(this.#host.country);
    if (postalCodePattern === undefined) return false;
    const whole = new RegExp(`^(?:${postalCodePattern})$`, 'i');
    return whole.test(code) || whole.test(code.replace(COUNTRY_SIGN, ''));
  }

  async #suggest(text: string, signal: AbortSignal): Promise<readonly Option<undefined>[] | undefined> {
    const { client, country } = this.#host;
    const { postalCodeExample } = addressFormatOf(country);
    const city = this.#cityOf();
    // Too many codes begin with a shorter start: suggestions of these would be useless.
    const isShort = text.length < Math.min(postalCodeExample.length - 1, LONGEST_START);
    // A whole code is looked up instead.
    if ((isShort && city === '') || this.#isWhole(this.code)) return undefined;
    const inCity = city === '' ? [] : await client.suggestCodes(country, `${city} ${text}`, signal);
    const suggested = inCity.length > 0 || isShort ? inCity : await client.suggestCodes(country, text, signal);
    return suggested
      .filter(({ postalCode }) => this.#canOffer(postalCode))
      .map(({ postalCode, placeName }) => ({ value: postalCode, detail: placeName, data: undefined }));
  }

  #hintOf(found: FoundCode): string {
    const { messages, country: of, countryName: country, isLocal } = this.#host;
    const { code } = this;
    const { match, postcode, places, isWithdrawn } = found;
    const town = townOf(found, isLocal);
    const example = addressFormatOf(of).postalCodeExample;
    // The user has to write a whole code, even if the data has only its first part.
    const isShort = example !== '' && !this.#isWhole(code) && foldText(code).length < foldText(example).length;
    const isRespelt = match === 'normalised' && places.length > 0 && foldText(postcode) !== foldText(code);
    const said = [
      match === 'none' && messages.codeUnknown,
      isWithdrawn && messages.codeWithdrawn,
      town && messages.codeInferred,
      isRespelt && messages.codeNormalised,
      isShort && !isRespelt && messages.codeFormat,
    ];
    return format(said.filter(Boolean).join(' '), { code, country, postcode, town: town ?? '', example });
  }
}
