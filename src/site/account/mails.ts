/** The mails that accounts cause. */

import type { RequestedCode } from '../../accounts/accounts.js';
import { CODE_MINUTES } from '../../accounts/sign-in-codes.js';
import type { Mail } from './mailer.js';

export function codeMail(siteUrl: string, { email, attempt, code }: RequestedCode): Mail {
  const host = new URL(siteUrl).host;
  return {
    to: email,
    subject: `${code} is your code for ${host}`,
    text: `Your code to sign in at ${host}:

    ${code}

Type it where you asked for it, or open this page and press its button:

    ${siteUrl}/account/link?attempt=${attempt}&code=${code}

The code is good once, for ${CODE_MINUTES} minutes. If you did not ask for it, somebody else typed
your address; without the code nothing happens, and you need not do anything.
`,
  };
}

export type Notice = 'revealed' | 'replaced' | 'revoked' | 'closed';

const HAPPENED: Readonly<Record<Notice, string>> = {
  revealed: 'An API key of your account was shown',
  replaced: 'An API key of your account was replaced',
  revoked: 'An API key of your account was revoked',
  closed: 'Your account was closed and its API keys were revoked',
};

export function noticeMail(siteUrl: string, to: string, notice: Notice, nowMs: number): Mail {
  const host = new URL(siteUrl).host;
  return {
    to,
    subject: `${HAPPENED[notice]} at ${host}`,
    text: `${HAPPENED[notice]} at ${host} at ${new Date(nowMs).toISOString()}.

If that was you, all is well. If it was not, sign in at ${siteUrl}/account, replace your key,
and choose "Sign out everywhere".
`,
  };
}
