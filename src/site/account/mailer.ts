/** Mail to one person: a subject and plain text, through the operator's mail server or, on a terminal, as text to read. */
import { createTransport } from 'nodemailer';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Resolves when the mail server has taken the mail. Rejects with MailError. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** The mail server could not be reached, or refused the mail. The message names no recipient. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

const CONNECT_MS = 5_000;
const SILENCE_MS = 15_000;

/** Connections are kept and used again; what is sent at once waits for one of a few. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(
    {
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
  return {
    async send({ to, subject, text }) {
      try {
        await transport.sendMail({
          // Never as text that is parsed: an address is one recipient.
          to: { name: '', address: to },
          subject,
          text,
          headers: { 'auto-submitted': 'auto-generated' },
        });
      } catch (error) {
        throw new MailError(reasonOf(error), { cause: error });
      }
    },
    close: () => transport.close(),
  };
}

/** For a person who tries the site at home: mails appear where the site's lines appear. */
export function createTerminalMailer(write: (text: string) => void): Mailer {
  return {
    async send({ to, subject, text }) {
      write(`\n── mail to ${to} ──\n${subject}\n\n${text}──\n\n`);
    },
    close() {},
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
