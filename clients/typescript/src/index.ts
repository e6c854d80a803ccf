/** The client of the Postal Places API: one class, the types of its answers, and its error. */
export { type ClientErrorCode, type ErrorDetails, PostalPlacesError } from './error.js';
export type { ErrorCode, ParameterFault } from './error-codes.js';
export * from './postal-places.js';
export type { ClientOptions, RequestOptions } from './transport.js';
export * from './types.js';
