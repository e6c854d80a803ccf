/** The bodies of account forms: which requests have one, and the texts of their fields. */

import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

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
export function formFields(request: Request, name: string): string[] {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return [value].flat().filter((text) => typeof text === 'string');
}

/** The text of a field; '' if it is missing or repeated. */
export function formField(request: Request, name: string): string {
  const [text = '', ...more] = formFields(request, name);
  return more.length === 0 ? text : '';
}
