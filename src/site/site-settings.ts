/** The settings of the site. Settings shared with the server have the same meaning. */

import { isLoopback } from '../base/private-addresses.js';
import {
  type Environment,
  integer,
  parseHost,
  parseOnOff,
  readSettings,
  secret,
  setting,
  type ValuesOf,
} from '../base/settings.js';
import { isPublishableKey, isWellFormedApiKey } from '../keys/api-key.js';
import { keySettings } from '../keys/key-settings.js';
import { processSettings, sourceSettings } from '../process/program/settings.js';

export const accountSettings = {
  ...keySettings,
  isOn: setting<boolean>('ACCOUNTS', true, 'on or off', parseOnOff),
  keysPerAccount: setting('KEYS_PER_ACCOUNT', 1, 'an integer from 1 to 20', integer(1, 20)),
  /** With it the form in the documents works. */
  formKey: setting<string | null>(
    'SITE_FORM_KEY',
    null,
    'a publishable key (pp_pub_…), which postal-places keys create --origin makes',
    (text) => (isPublishableKey(text) && isWellFormedApiKey(text) ? text : undefined),
  ),
  domains: setting<readonly string[] | null>(
    'ACCOUNT_DOMAINS',
    null,
    'domains with commas between them, such as example.com,example.org',
    parseDomains,
  ),
  mailUrl: secret<string | null>(
    'MAIL_URL',
    null,
    'the address of a mail server, such as smtp://user:password@mail.example.com:587',
    parseMailUrl,
  ),
  mailFrom: setting<string | null>(
    'MAIL_FROM',
    null,
    'an e-mail address, alone or as Postal Places <places@example.com>',
    parseSender,
  ),
  /** The company's provider of sign-ins: these three are set, or none of them. */
  oidcIssuer: setting<string | null>(
    'OIDC_ISSUER',
    null,
    'the issuer of an OpenID Connect provider, an https address such as https://login.example.com',
    parseIssuer,
  ),
  oidcClientId: setting<string | null>('OIDC_CLIENT_ID', null, 'the id of a client at OIDC_ISSUER', parseCredential),
  oidcClientSecret: secret<string | null>(
    'OIDC_CLIENT_SECRET',
    null,
    'the secret of the client OIDC_CLIENT_ID',
    parseCredential,
  ),
  /** The provider's name on pages; null: the host of the issuer. */
  oidcName: setting<string | null>(
    'OIDC_NAME',
    null,
    'what people call the provider of OIDC_ISSUER, at most 40 characters such as Example Account',
    (text) => (/^[\p{L}\p{N}](?:[\p{L}\p{N} .'&-]{0,38}[\p{L}\p{N}.])?$/u.test(text) ? text : undefined),
  ),
};

function parseDomains(text: string): readonly string[] | undefined {
  const domains = text
    .toLowerCase()
    .split(',')
    .map((domain) => domain.trim());
  const isSound = domains.every((domain) => /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/.test(domain));
  return isSound ? domains : undefined;
}

function parseMailUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== '' ? text : undefined;
}

/** http is allowed on loopback only. */
function parseIssuer(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username + url.password + url.search + url.hash !== '') return undefined;
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return isSafe ? text : undefined;
}

/** RFC 6749, appendix A: characters of ASCII that can be printed. */
function parseCredential(text: string): string | undefined {
  return /^[\x20-\x7e]{1,1000}$/.test(text) && text.trim() === text ? text : undefined;
}

function parseSender(text: string): string | undefined {
  return /^(?:[\p{L}\p{N} .'&-]{1,60} <[^\s<>"@]+@[^\s<>"@]+>|[^\s<>"@]+@[^\s<>"@]+)$/u.test(text) ? text : undefined;
}

export const siteSettings = {
  host: setting('SITE_HOST', '127.0.0.1', 'a host name or an IP address', parseHost),
  port: setting('SITE_PORT', 3001, 'an integer from 0 to 65535 (0 picks a free port)', integer(0, 65_535)),
  adminHost: processSettings.adminHost,
  /** Where it is null, there is no server for operators. */
  adminPort: setting<number | null>(
    'SITE_ADMIN_PORT',
    null,
    'an integer from 0 to 65535 (0 picks a free port)',
    integer(0, 65_535),
  ),
  maxConnections: processSettings.maxConnections,
  /** The public address; null: the address on which the site listens. */
  siteUrl: setting<string | null>(
    'SITE_URL',
    null,
    'an http or https address without a path, such as https://www.example.com',
    parseOrigin,
  ),
  apiUrl: setting(
    'API_URL',
    'http://127.0.0.1:3000',
    'an http or https address, such as https://api.example.com',
    parseAddress,
  ),
  ...sourceSettings,
  trustedProxies: processSettings.trustedProxies,
  drainSeconds: processSettings.drainSeconds,
  logLevel: processSettings.logLevel,
};

export type SiteSettings = ValuesOf<typeof siteSettings> & { readonly accounts: ValuesOf<typeof accountSettings> };

/** Throws InvalidValueError on the first wrong value. */
export function readSiteSettings(environment: Environment): SiteSettings {
  return { ...readSettings(siteSettings, environment), accounts: readSettings(accountSettings, environment) };
}

function parseOrigin(text: string): string | undefined {
  const address = parseAddress(text);
  return address !== undefined && new URL(address).origin === address ? address : undefined;
}

/** Scheme, host, port and path only, without a slash at the end: an address that may stand in pages and policies. */
function parseAddress(text: string): string | undefined {
  const url = text.length <= 200 && URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined && /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?:\/[\w.~%/-]*)?$/i.test(url.href);
  return isPlain ? url.href.replace(/\/+$/, '') : undefined;
}
