/** The mails that accounts cause. */

import { CODE_MINUTES } from '../../accounts/sign-in-codes.js';
import type { RequestedCode } from '../../accounts/sign-ins.js';
import type { Mail } from './mailer.js';
import { minuteOf } from './times.js';

export function codeMail(siteUrl: string, { email, attempt, code, token }: RequestedCode): Mail {
  const host = new URL(siteUrl).host;
  return {
    to: email,
    subject: `${code} is your code for ${host}`,
    text: `Your code to sign in at ${host}:

    ${code}

Type it where you asked for it, or open this page and press its button:

    ${siteUrl}/account/link?attempt=${attempt}&token=${token}

The code is good once, for ${CODE_MINUTES} minutes. If you did not ask for it, somebody else typed
your address; without the code nothing happens, and you need not do anything.
`,
  };
}

export type Notice = 'made' | 'revealed' | 'replaced' | 'revoked' | 'closed';

const HAPPENED: Readonly<Record<Notice, string>> = {
  made: 'An API key was made for your account',
  revealed: 'An API key of your account was shown',
  replaced: 'An API key of your account was replaced',
  revoked: 'An API key of your account was revoked',
  closed: 'Your account was closed and its API keys were revoked',
};

export interface NoticeOptions {
  readonly to: string;
  readonly notice: Notice;
  /** Whether nobody knows that it was done: the connection to the store was lost on the way. */
  readonly isUnsure: boolean;
  readonly nowMs: number;
}

export function noticeMail(siteUrl: string, { to, notice, isUnsure, nowMs }: NoticeOptions): Mail {
  const host = new URL(siteUrl).host;
  const time = minuteOf(new Date(nowMs).toISOString());
  const doubt = isUnsure ? 'Perhaps this was done; your account shows whether it was.\n\n' : '';
  const remedy =
    notice === 'closed'
      ? `an account can be made anew at ${siteUrl}/account; look after your mailbox first, somebody else\nreads it.`
      : `sign in at ${siteUrl}/account, choose "Sign out everywhere", and\nreplace the keys that are there, at once.`;
  return {
    to,
    subject: `${HAPPENED[notice]} at ${host}`,
    text: `${HAPPENED[notice]} at ${host}, on ${time}.

${doubt}If that was you, all is well. If it was not, ${remedy}
`,
  };
}
