/**
 * Mail to one person: a subject and plain text, through the operator's mail server or, on a terminal, as text to read.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { isLoopback } from './loopback.js';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Resolves when the mail server has taken the mail. Rejects with MailError. */
  send(mail: Mail): Promise<void>;
  /** Resolves when what is under way has been sent, or can't be sent in a few seconds. */
  close(): Promise<void>;
}

/** The mail server could not be reached, or refused the mail. The message names no recipient. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

const CONNECT_MS = 5_000;
const SILENCE_MS = 10_000;
/** From the call to the mail server's word that it has the mail. */
const LONGEST_MS = 20_000;
const CLOSING_MS = 5_000;
/** More wait for a mail server that is too slow for them. */
const QUEUE_LIMIT = 100;

/** Connections are kept and used again; what is sent at once waits for one of a few. */
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

/** For a person who tries the site at home: mails appear where the site's lines appear. */
export function createTerminalMailer(write: (text: string) => void): Mailer {
  return {
    async send({ to, subject, text }) {
      write(`\n── mail to ${to} ──\n${subject}\n\n${text}──\n\n`);
    },
    async close() {},
  };
}

/** What a mail server says may repeat the recipient. */
function reasonOf(error: unknown): string {
  const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string };
  return [`the mail server did not take a mail (${code ?? 'unknown trouble'}`, responseCode, command]
    .filter((part) => part !== undefined)
    .join(', ')
    .concat(')');
}
