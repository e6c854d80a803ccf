/** The choice of a country: a plain select with the names of the countries in the language of the form. */

import { addressCountries } from './address-format.js';
import { countryNames } from './country-names.js';
import { create } from './create-element.js';
import { foldText } from './fold-text.js';
import { localeOf } from './locale.js';
import type { Messages } from './message-texts.js';

export class CountryField {
  readonly select = create('select', { id: 'country', part: 'input country' });
  readonly #label = create('label', { for: 'country', part: 'label' });
  readonly element = create('div', { class: 'field country', part: 'field' }, this.#label, this.select);
  /** Language and countries of the list. */
  #made = '';
  /** The last value of the attribute `country`. */
  #given = '';

  constructor(onChange: () => void) {
    this.select.addEventListener('change', onChange);
  }

  /** Two letters. */
  get value(): string {
    return this.select.value;
  }

  /** By code, or by name, as people write it in a plain field. A country that is not in the list changes nothing. */
  set value(country: string) {
    const isIt = ({ value, text }: HTMLOptionElement): boolean =>
      value === country.toUpperCase() || foldText(text) === foldText(country);
    const option = [...this.select.options].find(isIt);
    if (option !== undefined) option.selected = true;
  }

  /**
   * `countries` are the countries to choose from, with spaces or commas between; without any, all countries. A
   * `country` that differs from the last one is chosen. If it is not in the list, the first choice is the region of the
   * browser's language, else the first of `countries`, or the first of all by name.
   */
  describe(messages: Messages, language: string, countries: string | null, country: string | null): void {
    this.#label.textContent = messages.country;
    const chosen = (countries ?? '').toUpperCase().split(/[\s,]+/);
    const known = [...new Set(chosen)].filter((code) => addressCountries.includes(code));
    const codes = known.length > 0 ? known : addressCountries;
    const made = `${language} ${codes.join()}`;
    if (made !== this.#made) this.#list(codes, language);
    this.#made = made;
    this.element.hidden = codes.length < 2;
    const given = country?.toUpperCase() ?? '';
    const firsts = [localeOf(navigator.language).region ?? '', ...known];
    if (given !== this.#given && codes.includes(given)) this.select.value = given;
    this.#given = given;
    if (this.select.selectedIndex >= 0) return;
    this.select.value = firsts.find((code) => codes.includes(code)) ?? '';
    if (this.select.selectedIndex < 0) this.select.selectedIndex = 0;
  }

  #list(codes: readonly string[], language: string): void {
    const { value } = this.select;
    const names = countryNames(language);
    const options = codes.map((code) => new Option(names.of(code) ?? code, code));
    const { compare } = new Intl.Collator(language);
    this.select.replaceChildren(...options.sort((a, b) => compare(a.text, b.text)));
    this.select.value = value;
  }
}
