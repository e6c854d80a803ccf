/** Reads the forms of accounts, and redirects after them. */
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { PRIVATE_HEADERS } from '../headers.js';

/**
 * Bytes of the largest form: some providers' codes have several thousand characters, and a URL is no longer than this.
 */
export const MAX_FORM_BYTES = 16_384;

/** Whether the request can be a form of the site. Browsers send the Content-Length of a form. */
export function hasForm({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const bytes = Number(headers['content-length']);
  return method === 'POST' && bytes <= MAX_FORM_BYTES && headers['transfer-encoding'] === undefined;
}

/** The texts of all fields of this name. */
export function fields(request: Request, name: string): string[] {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return [value].flat().filter((text) => typeof text === 'string');
}

/** The text of a field; '' if it is missing. */
export function field(request: Request, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

export function idIn({ params }: Request): string {
  return typeof params.id === 'string' ? params.id : '';
}

/** To another page, which is then asked for with GET. */
export function move(response: Response, path: string, ...cookies: readonly (readonly [string, string])[]): void {
  const headers = ['location', path, 'cache-control', 'no-store', 'content-length', '0', ...cookies.flat()];
  response.writeHead(303, [...PRIVATE_HEADERS, ...headers]).end();
}
