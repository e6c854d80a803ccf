/** The client of the Postal Places API: one class, the types of its answers, and its error. */
export * from './postal-places.js';
export { type ClientOptions, PostalPlacesError, type RequestOptions } from './transport.js';
