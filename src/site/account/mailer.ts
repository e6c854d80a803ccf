/**
 * Mail to one person: a subject and plain text, through the operator's mail server or, on a terminal, as text to read.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { isLoopback } from '../../base/private-addresses.js';
import { CODE_MINUTES, type RequestedCode } from '../../keys/accounts/sign-ins.js';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Resolves when the mail server has taken the mail. Rejects with MailError. */
  send(mail: Mail): Promise<void>;
  /** Resolves when pending mails were sent, or after a few seconds. */
  close(): Promise<void>;
}

/** The mail server could not be reached, or refused the mail. The message names no recipient. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

const CONNECT_MS = 5_000;
const SILENCE_MS = 10_000;
/** Maximum milliseconds from the call until the mail server has accepted the mail. */
const LONGEST_MS = 20_000;
const CLOSING_MS = 5_000;
/** Maximum number of pending mails: more indicate a mail server that is too slow. */
const QUEUE_LIMIT = 100;

/** Sends over a pool of kept connections. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(
    {
      // Said otherwise in the address where it must be.
      requireTLS: !isLoopback(new URL(url).hostname),
      url,
      pool: true,
      maxConnections: 3,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  const underWay = new Set<Promise<unknown>>();
  return {
    async send({ to, subject, text }) {
      if (underWay.size >= QUEUE_LIMIT) throw new MailError('too many mails wait for the mail server');
      // Never as text that is parsed: an address is one recipient.
      const envelope = { to: { name: '', address: to }, headers: { 'auto-submitted': 'auto-generated' } };
      const sending = transport.sendMail({ ...envelope, subject, text, signal: AbortSignal.timeout(LONGEST_MS) });
      underWay.add(sending);
      try {
        await sending;
      } catch (error) {
        throw new MailError(reasonOf(error), { cause: error });
      } finally {
        underWay.delete(sending);
      }
    },
    async close() {
      await Promise.race([Promise.allSettled(underWay), wait(CLOSING_MS, undefined, { ref: false })]);
      transport.close();
    },
  };
}

/** For trying the site locally: prints mails to the terminal. */
export function createTerminalMailer(write: (text: string) => void): Mailer {
  return {
    async send({ to, subject, text }) {
      write(`\n── mail to ${to} ──\n${subject}\n\n${text}──\n\n`);
    },
    async close() {},
  };
}

/** Without the mail server's text, which may repeat the recipient. */
function reasonOf(error: unknown): string {
  const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
  return [`the mail server did not take a mail (${code ?? 'unknown trouble'}`, responseCode, command]
    .filter((part) => part !== undefined)
    .join(', ')
    .concat(')');
}

/** An instant of a record as people read it, to the minute: `2026-11-22 23:15 UTC`. */
export function minuteOf(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`;
}

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
  const time = minuteOf(new Date(nowMs).toISOString());
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
