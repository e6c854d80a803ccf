/**
 * Mail to one person: a subject and plain text, through the operator's mail server or, on a terminal, as text to read.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { isLoopback } from '../../base/private-addresses.js';

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

/** Sends over a pool of open connections. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(
    {
      // The address can turn this off: ?requireTLS=false.
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
      // As an object, which is not parsed: an address is always one recipient.
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
