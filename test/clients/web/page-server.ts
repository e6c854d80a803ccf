/**
 * Static pages of a shop, as strict as a Content Security Policy makes them: the module must need no exception from it. The
 * server notes the forms that it is sent.
 */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { packageRoot } from '../../../src/base/package-root.js';
import { listen } from './api-gateway.js';

export interface PageServer {
  readonly origin: string;
  /** Contents of the body of the page at `/`. */
  body: string;
  /** Attributes of its html element. */
  attributes: string;
  /** What `/page.js` has, for the pages of frameworks. */
  script: string;
  /** The forms that were sent, each as its fields in their order. */
  readonly sent: [string, string][][];
  /** Texts that scripts have posted to `/orders`. */
  readonly orders: string[];
  close(): Promise<void>;
}

const MODULE = readFileSync(join(packageRoot(), 'dist/src/site/assets/postal-places.js'));
/** With a background that axe-core can see: it takes that of the browser for white, in the dark too. */
const STYLE = `:root { color-scheme: light dark; font-family: sans-serif; color: CanvasText; background: Canvas; }
body { max-inline-size: 40rem; margin: 1rem auto; padding-inline: 1rem; }
button { margin-block-start: 1rem; min-block-size: 2.75rem; font: inherit; }`;

/** `apiOrigins` are all that the pages may ask. */
export async function startPageServer(apiOrigins: readonly string[]): Promise<PageServer> {
  // Vue makes a policy of its name where it is loaded.
  const policy = [
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "script-src 'self'; style-src 'self'; require-trusted-types-for 'script'; trusted-types vue",
    `connect-src 'self' ${apiOrigins.join(' ')}`,
  ].join('; ');
  const reply = (response: ServerResponse, type: string, content: string | Buffer): void => {
    response.writeHead(200, { 'content-type': `text/${type}; charset=utf-8`, 'content-security-policy': policy });
    response.end(content);
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '', server.origin);
    if (pathname === '/postal-places.js') reply(response, 'javascript', MODULE);
    else if (pathname === '/page.js') reply(response, 'javascript', server.script);
    else if (pathname === '/page.css') reply(response, 'css', STYLE);
    else if (pathname === '/send') {
      server.sent.push([...new URLSearchParams(await textOf(request))]);
      reply(response, 'html', pageOf('lang="en"', '<h1>Thank you</h1>'));
    } else if (pathname === '/orders') {
      server.orders.push(await textOf(request));
      reply(response, 'plain', '');
    } else reply(response, 'html', pageOf(server.attributes, server.body));
  };
  const listening = createServer((request, response) => void serve(request, response));
  const server: PageServer = {
    ...{ body: '', attributes: '', script: '', sent: [], orders: [] },
    origin: await listen(listening),
    async close() {
      listening.closeAllConnections();
      await new Promise((resolve) => listening.close(resolve));
    },
  };
  return server;
}

function pageOf(attributes: string, body: string): string {
  return `<!doctype html>
<html ${attributes}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Order</title>
<link rel="stylesheet" href="/page.css">
<script type="module" src="/postal-places.js"></script>
<script type="module" src="/page.js"></script>
</head>
<body><main>${body}</main></body>
</html>`;
}
