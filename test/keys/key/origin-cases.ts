/** Origins that a publishable key of these restrictions allows, and texts that look like them. */
import { parseRestrictions } from '../../../src/keys/key/restrictions.js';

export const SHOP = 'https://shop.example';
/** Milliseconds after which a visitor who asked three times at once may ask once more. */
export const VISITOR_INTERVAL_MS = 20_000;

export const RESTRICTIONS = parseRestrictions({
  origins: [
    SHOP,
    'https://*.shop.example',
    'https://*.port.example:8443',
    'http://localhost:8080',
    'http://*.localhost:3000',
    'http://[::1]:5173',
  ],
  operations: ['autocomplete', 'checkPostcode'],
  visitorRate: { requests: 3, seconds: 60 },
});

export const OWN_ORIGINS = [
  SHOP,
  'https://www.shop.example',
  'https://a.b.shop.example',
  'https://xn--mnchen-3ya.shop.example',
  'https://a.port.example:8443',
  'http://localhost:8080',
  'http://shop.localhost:3000',
  'http://[::1]:5173',
];

export const HOSTILE_ORIGINS = [
  '',
  'null',
  'https://evil-shop.example',
  'https://shop.example.evil',
  'https://evil.example',
  'https://shopXexample',
  'https://.shop.example',
  'http://shop.example',
  'http://www.shop.example',
  'https://shop.example:8443',
  'https://shop.example:443',
  'https://www.shop.example:8443',
  'HTTPS://SHOP.EXAMPLE',
  'https://Shop.example',
  'https://shop.example.',
  'https://shop.example/',
  'https://shop.example/path',
  'https://shop.example@evil.example',
  'https://evil.example/.shop.example',
  'https://evil.example#.shop.example',
  'https://evil.example:1.shop.example',
  'https://evil.example\\.shop.example',
  'https://*.shop.example',
  'https://port.example:8443',
  'https://a.port.example',
  'https://a.port.example:84430',
  'http://localhost',
  'http://localhost:8081',
  'https://localhost:8080',
  'http://localhost.evil:8080',
  'http://localhost:3000',
  'http://127.0.0.1:8080',
  'https://shop.example, https://shop.example',
  'https://shop.example https://evil.example',
  ' https://shop.example',
  'file://',
  'chrome-extension://shop.example',
];
