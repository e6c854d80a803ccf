/**
 * The fields of an address without its country, and how they fill in each other: a code fills in city and state, a city
 * its state and code. A text of the user stays: only a field that is empty, or filled in by the element, is written.
 */

import { AddressField } from './address-field.js';
import { type AddressFormat, addressFormatOf, type FieldName } from './address-format.js';
import { type FoundCode, type Place, placeOf, type SuggestedPlace } from './api-answers.js';
import { CodeField } from './code-field.js';
import type { FieldHost } from './field-host.js';
import { foldText } from './fold-text.js';
import { citiesOf, cityNameOf, decidedCity, townOf, unitOfCities } from './found-cities.js';
import { format, formatCount } from './messages.js';
import { PlaceField } from './place-field.js';
import { nameOf } from './place-name.js';

/** The names of HTML's autofill for the fields. */
export const AUTOFILL: Readonly<Record<FieldName, string>> = {
  street: 'street-address',
  suburb: 'address-level3',
  city: 'address-level2',
  state: 'address-level1',
  'postal-code': 'postal-code',
};
export const FIELD_NAMES = Object.keys(AUTOFILL) as readonly FieldName[];

export class AddressFields {
  readonly #host: FieldHost;
  readonly #onChange: () => void;
  readonly #code: CodeField;
  readonly #city: PlaceField;
  readonly #state: PlaceField;
  readonly all: Readonly<Record<FieldName, AddressField>>;

  /** `onInput` is called for every letter, `onChange` when a field is complete or the API has answered. */
  constructor(host: FieldHost, onInput: () => void, onChange: () => void) {
    this.#host = host;
    this.#onChange = onChange;
    const of = (name: FieldName) => ({ name, autocomplete: AUTOFILL[name], onInput, onChange });
    this.#code = new CodeField(
      host,
      of('postal-code'),
      () => this.#onCode(),
      () => this.#city.field.value,
    );
    const onCityChange = (): void => {
      this.#hintCity();
      onChange();
    };
    const onCityInput = (): void => {
      // Another city has other codes.
      this.#code.offer([]);
      onInput();
    };
    const ofCity = { ...of('city'), onInput: onCityInput, onChange: onCityChange };
    this.#city = new PlaceField(host, ofCity, (place) => void this.#onCity(place));
    this.#state = new PlaceField(host, of('state'), onChange);
    this.all = {
      street: new AddressField(of('street')),
      suburb: new AddressField(of('suburb')),
      city: this.#city.field,
      state: this.#state.field,
      'postal-code': this.#code.field,
    };
  }

  get #format(): AddressFormat {
    return addressFormatOf(this.#host.country);
  }

  /** How the API knows the code; undefined before it has answered. */
  get match(): FoundCode['match'] | undefined {
    return this.#code.found?.match;
  }

  /** The place of code and city; undefined if the API knows none, or has not answered yet. */
  get place(): Place | undefined {
    const city = foldText(this.#city.field.value);
    const places = this.#code.found?.places;
    return places?.find((place) =>
      [place.name, place.localName, cityNameOf(place, this.#host.isLocal)].some((one) => foldText(one) === city),
    );
  }

  /** Labels the fields with the words of the country. */
  describe(): void {
    const { messages } = this.#host;
    const { terms, required, stateType } = this.#format;
    for (const name of FIELD_NAMES) {
      const label = messages[terms[name]];
      const isRequired = required.includes(name);
      this.all[name].describe(label, isRequired ? '' : messages.optional, format(messages.suggestions, { label }));
      this.all[name].input.required = isRequired;
      // A field that only the previous country required has no error any more.
      if (!isRequired) this.all[name].error = '';
    }
    this.#state.type = stateType;
  }

  /** Forgets all but what was typed for the previous country, and asks about the code in this one. */
  changeCountry(): void {
    for (const { field } of [this.#code, this.#city, this.#state]) if (field.source !== 'typed') field.fill('');
    this.#code.adapt(this.#format);
    this.describe();
    void this.lookUp();
  }

  /** Asks about the code in the field; offers for an earlier code or city go at once. */
  lookUp(): Promise<void> {
    const asking = this.#code.lookUp();
    if (this.#code.found === undefined) this.#city.offer([]);
    if (this.#city.field.value === '') this.#code.offer([]);
    this.#hintCity();
    return asking;
  }

  /** The API has answered about the code, or the code has changed. */
  #onCode(): void {
    const { found } = this.#code;
    const { isLocal } = this.#host;
    const [city, state] = [this.#city.field, this.#state.field];
    const cities = citiesOf(found, isLocal);
    this.#city.offer(cities);
    if (found !== undefined) {
      const unit = unitOfCities(found, this.#format.stateType);
      const kept = [city.value, this.#code.chosenPlace];
      const decided = cities.find(({ name }) => kept.includes(name)) ?? decidedCity(found, cities);
      const filled = [
        [city, decided?.name ?? townOf(found, isLocal) ?? ''],
        [state, unit === undefined ? '' : nameOf(unit, isLocal)],
      ] as const;
      const told = filled.filter(([field, text]) => fillIfFree(field, text) && field.element.isConnected);
      this.#code.field.status = told.map(([field, text]) => `${field.label}: ${text}`).join(', ');
    } else if (this.#code.isUnanswered && city.source === 'filled') {
      // City and state belong to an earlier code.
      for (const field of [city, state]) if (field.isFree) field.fill('');
    }
    this.#hintCity();
    this.#onChange();
  }

  /** Says that the code has several cities, while the city is empty. */
  #hintCity(): void {
    const { messages, isLocal } = this.#host;
    const { field } = this.#city;
    const { length } = citiesOf(this.#code.found, isLocal);
    field.hint = length > 1 && field.value === '' ? formatCount(messages.chooseCity, length, messages.language) : '';
  }

  /** A suggested city was chosen. */
  async #onCity(place: SuggestedPlace): Promise<void> {
    const { country, client } = this.#host;
    const city = this.#city.field.value;
    const unit = unitOfCities({ places: [placeOf(place)] }, this.#format.stateType);
    fillIfFree(this.#state.field, unit?.name ?? '');
    const { field } = this.#code;
    const { isFree } = field;
    if (isFree) {
      field.fill('');
      void this.lookUp();
    }
    this.#onChange();
    if (!isFree) return;
    const codes = await client.listCodes(country, place.id).catch(() => []);
    // The user may have changed country, city or code meanwhile.
    if (this.#host.country !== country || this.#city.field.value !== city || field.value !== '') return;
    const [code, ...others] = this.#code.offer(codes);
    if (code !== undefined && others.length === 0) {
      field.fill(code);
      await this.lookUp();
    }
  }
}

/** Writes the text if the element may; false if the field has no new text. */
function fillIfFree(field: AddressField, text: string): boolean {
  if (!field.isFree || field.value === text) return false;
  field.fill(text);
  return text !== '';
}
