/** Defines the elements: one module without dependencies, which a page loads once. */
import { PostalAddressForm } from './postal-address-form.js';
import { PostalCodeInput } from './postal-code-input.js';

export type { Place } from './api-answers.js';
export type { Messages } from './message-texts.js';
export type { Address, AddressChange } from './postal-address-form.js';
export type { PostalCodeChange } from './postal-code-input.js';
export { PostalAddressForm, PostalCodeInput };

// A page that loads the module from two addresses keeps the elements of the first.
for (const [name, element] of [
  ['postal-address-form', PostalAddressForm],
  ['postal-code-input', PostalCodeInput],
] as const) {
  if (customElements.get(name) === undefined) customElements.define(name, element);
}
