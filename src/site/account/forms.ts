/** What the forms of accounts send, and where they lead. */
import type { Request, Response } from 'express';
import { PRIVATE_HEADERS } from '../headers.js';

/** The text of a field; empty where it is missing. */
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
