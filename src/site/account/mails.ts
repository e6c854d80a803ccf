/** The mails of accounts: the code of a sign-in, and a notice after each change of a key or account. */

import { CODE_MINUTES } from '../../keys/accounts/mailed-codes.js';
import type { RequestedCode } from '../../keys/accounts/sign-ins.js';
import { formatMinute } from '../html/formats.js';
import type { Mail } from './mailer.js';

export function codeMail(siteUrl: string, { email, attempt, code, token }: RequestedCode): Mail {
  const host = new URL(siteUrl).host;
  return {
    to: email,
    subject: `${code} is your code for ${host}`,
    text: `Your code to sign in at ${host}:

    ${code}

Enter it where you requested it, or open this page and press its button:

    ${siteUrl}/account/link?attempt=${attempt}&token=${token}

The code works once, within ${CODE_MINUTES} minutes. If you did not request it, somebody else entered
your address. Nothing happens without the code, and you need not do anything.
`,
  };
}

export type Notice = 'made' | 'revealed' | 'replaced' | 'revoked' | 'changed' | 'closed';

const HAPPENED: Readonly<Record<Notice, string>> = {
  made: 'An API key was created for your account',
  revealed: 'An API key of your account was shown',
  replaced: 'An API key of your account was replaced',
  revoked: 'An API key of your account was revoked',
  changed: 'The origins, operations or visitor rate of an API key of your account were changed',
  closed: 'Your account was closed and its API keys were revoked',
};

export interface NoticeOptions {
  readonly to: string;
  readonly notice: Notice;
  /** Whether the change may not have been made: the connection to the store was lost. */
  readonly isUnsure: boolean;
  readonly nowMs: number;
}

export function noticeMail(siteUrl: string, { to, notice, isUnsure, nowMs }: NoticeOptions): Mail {
  const host = new URL(siteUrl).host;
  const time = formatMinute(new Date(nowMs).toISOString());
  const doubt = isUnsure ? 'This change may not have been made; your account shows whether it was.\n\n' : '';
  const remedy =
    notice === 'closed'
      ? `somebody else reads your mail. Secure your mailbox first, then create a new account at\n${siteUrl}/account.`
      : `sign in at ${siteUrl}/account, choose "Sign out everywhere", and\nreplace your keys at once.`;
  return {
    to,
    subject: `${HAPPENED[notice]} at ${host}`,
    text: `${HAPPENED[notice]} at ${host}, on ${time}.

${doubt}If that was you, you need not do anything. If it was not, ${remedy}
`,
  };
}
