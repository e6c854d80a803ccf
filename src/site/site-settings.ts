/** The settings of the site. Settings shared with the server have the same meaning. */

import {
  type Environment,
  optionalSetting,
  PORT_RULE,
  parseHostSetting,
  readSettings,
  setting,
  type ValuesOf,
} from '../base/settings.js';
import { processSettings, sourceSettings } from '../process/program/settings.js';
import type { AccountSettings } from './account/account-settings.js';
import { accountSettings } from './account/account-settings.js';

export const siteSettings = {
  host: setting('SITE_HOST', '127.0.0.1', 'a host name or an IP address', parseHostSetting),
  port: setting('SITE_PORT', 3001, ...PORT_RULE),
  adminHost: processSettings.adminHost,
  /** Null: there is no admin server. */
  adminPort: optionalSetting('SITE_ADMIN_PORT', ...PORT_RULE),
  maxConnections: processSettings.maxConnections,
  /** The public address; null: the address on which the site listens. */
  siteUrl: optionalSetting(
    'SITE_URL',
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

export type SiteSettings = ValuesOf<typeof siteSettings> & { readonly accounts: AccountSettings };

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
