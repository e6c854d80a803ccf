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
import { parseAddress, processSettings, sourceSettings } from '../process/program/settings.js';
import type { AccountSettings } from './account/account-settings.js';
import { accountSettings } from './account/account-settings.js';

export const siteSettings = {
  host: setting('SITE_HOST', '127.0.0.1', 'a host name or an IP address', parseHostSetting),
  port: processSettings.sitePort,
  adminHost: processSettings.adminHost,
  /** Null: there is no admin server. */
  adminPort: optionalSetting('SITE_ADMIN_PORT', ...PORT_RULE),
  maxConnections: processSettings.maxConnections,
  siteUrl: processSettings.siteUrl,
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
