/** The settings of accounts. Those that the server or the key program has too mean the same for all. */
import { ExpectedError } from '../../expected-error.js';
import { keySettings } from '../../keys/key-settings.js';
import { integer, secret, setting } from '../../settings.js';

export const accountSettings = {
  ...keySettings,
  isOn: setting<boolean>('ACCOUNTS', true, 'on or off', (text) =>
    text === 'on' ? true : text === 'off' ? false : undefined,
  ),
  keysPerAccount: setting('KEYS_PER_ACCOUNT', 1, 'an integer from 1 to 20', integer(1, 20)),
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
    ExpectedError,
  ),
  mailFrom: setting<string | null>(
    'MAIL_FROM',
    null,
    'an e-mail address, alone or as Postal Places <places@example.com>',
    parseSender,
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

function parseSender(text: string): string | undefined {
  return /^(?:[\p{L}\p{N} .'&-]{1,60} <[^\s<>"@]+@[^\s<>"@]+>|[^\s<>"@]+@[^\s<>"@]+)$/u.test(text) ? text : undefined;
}
