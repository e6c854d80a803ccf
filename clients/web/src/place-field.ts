/** A field whose text is the name of a place, with suggestions of places of some types: a city, or a state. */

import { AddressField, type FieldSettings } from './address-field.js';
import type { SuggestedPlace } from './api-answers.js';
import type { Combobox, Option } from './combobox.js';
import type { FieldHost } from './field-host.js';
import type { City } from './found-cities.js';
import { nameOf } from './place-name.js';

/** Number of characters from which on places are suggested: the least that the API takes. */
const SHORTEST_NAME = 2;

type Choice = Option<SuggestedPlace | City>;

export class PlaceField {
  readonly field: AddressField;
  readonly #combobox: Combobox<SuggestedPlace | City>;
  readonly #host: FieldHost;
  /** The type of units to suggest; null for cities, undefined for nothing. */
  type: 'region' | 'district' | null | undefined = null;

  /** `onChoose` is called with a chosen suggestion; if a city of the code is chosen, `onChange` is called. */
  constructor(host: FieldHost, settings: FieldSettings, onChoose: (place: SuggestedPlace) => void) {
    this.#host = host;
    this.field = new AddressField(settings);
    this.#combobox = this.field.addCombobox(host, {
      shortestText: SHORTEST_NAME,
      suggest: (text, signal) => this.#suggest(text, signal),
      onChoose: ({ data }) => {
        settings.onInput();
        if ('place' in data) {
          // Another code has other cities.
          this.field.source = 'filled';
          settings.onChange();
        } else onChoose(data);
      },
    });
  }

  /** Offers the cities of a code without typing. */
  offer(cities: readonly City[]): void {
    this.#combobox.choices = cities.map((city) => ({ value: city.name, detail: city.detail, data: city }));
  }

  async #suggest(text: string, signal: AbortSignal): Promise<readonly Choice[] | undefined> {
    const { client, country, isLocal } = this.#host;
    const { type } = this;
    if (type === undefined) return undefined;
    const places = await (type === null
      ? client.suggestCities(country, text, signal)
      : client.suggestUnits(country, text, type, signal));
    return places.map((place) => ({ value: nameOf(place, isLocal), detail: detailOf(place), data: place }));
  }
}

/** The words that distinguish the suggestion from others of the list, else its largest unit. */
function detailOf({ name, label, context }: SuggestedPlace): string {
  // The label is the name, the distinguishing words, and the country.
  const detail = label.slice(name.length + 2, Math.max(label.lastIndexOf(', '), 0));
  const [unit] = context;
  return detail === '' && unit !== undefined && unit.name !== name ? unit.name : detail;
}
