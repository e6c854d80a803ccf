/** The settings of accounts: keys, mail, and the company's provider of sign-ins. */

import { isLoopback } from '../../base/private-addresses.js';
import type { ValuesOf } from '../../base/settings.js';
import {
  integerSettingParser,
  optionalSetting,
  parseOnOffSetting,
  secretSetting,
  setting,
} from '../../base/settings.js';
import { keySettings } from '../../keys/decision/key-settings.js';
import { isPublishableKey, isWellFormedApiKey } from '../../keys/key/api-key.js';

export const accountSettings = {
  ...keySettings,
  isOn: setting<boolean>('ACCOUNTS', true, 'on or off', parseOnOffSetting),
  keysPerAccount: setting('KEYS_PER_ACCOUNT', 1, 'an integer from 1 to 20', integerSettingParser(1, 20)),
  /** With it the form in the documents works. */
  formKey: optionalSetting(
    'SITE_FORM_KEY',
    'a publishable key (pp_pub_…), which postal-places keys create --origin makes',
    (text) => (isPublishableKey(text) && isWellFormedApiKey(text) ? text : undefined),
  ),
  domains: optionalSetting(
    'ACCOUNT_DOMAINS',
    'domains with commas between them, such as example.com,example.org',
    parseDomains,
  ),
  mailUrl: secretSetting(
    'MAIL_URL',
    'the address of a mail server, such as smtp://user:password@mail.example.com:587',
    parseMailUrl,
  ),
  mailFrom: optionalSetting(
    'MAIL_FROM',
    'an e-mail address, alone or as Postal Places <places@example.com>',
    parseSender,
  ),
  /** The company's provider of sign-ins: these three are set, or none of them. */
  oidcIssuer: optionalSetting(
    'OIDC_ISSUER',
    'the issuer of an OpenID Connect provider, an https address such as https://login.example.com',
    parseIssuer,
  ),
  oidcClientId: optionalSetting('OIDC_CLIENT_ID', 'the id of a client at OIDC_ISSUER', parseCredential),
  oidcClientSecret: secretSetting('OIDC_CLIENT_SECRET', 'the secret of the client OIDC_CLIENT_ID', parseCredential),
  /** The provider's name on pages; null: the host of the issuer. */
  oidcName: optionalSetting(
    'OIDC_NAME',
    'what people call the provider of OIDC_ISSUER, at most 40 characters such as Example Account',
    (text) => (/^[\p{L}\p{N}](?:[\p{L}\p{N} .'&-]{0,38}[\p{L}\p{N}.])?$/u.test(text) ? text : undefined),
  ),
};

export type AccountSettings = ValuesOf<typeof accountSettings>;

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
