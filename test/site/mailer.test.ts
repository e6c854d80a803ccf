/** Mail through a real mail server: what goes out, what is refused, and that a close waits for what is under way. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createSmtpMailer, MailError, type Mailer } from '../../src/site/account/mailer.js';
import { startMailServer } from '../fixtures/mail-server.js';

const MAIL = { to: 'ada@example.org', subject: 'A code', text: 'Your code:\n\n    BCDF-2345\n' };
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A mailer to a server with these rules. */
async function mailerTo(rules: SMTPServerOptions): Promise<Mailer> {
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'], ...rules });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  cleanups.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = listening.address() as AddressInfo;
  const mailer = createSmtpMailer(`smtp://127.0.0.1:${port}`, 'places@site.test');
  cleanups.push(() => mailer.close());
  return mailer;
}

async function refusalOf(sending: Promise<void>): Promise<MailError> {
  const error = await sending.then(
    () => undefined,
    (error) => error,
  );
  expect(error).toBeInstanceOf(MailError);
  return error as MailError;
}

test('a mail is plain text to one recipient, marked as sent by a program', async () => {
  const server = await startMailServer();
  cleanups.push(() => server.stop());
  const mailer = createSmtpMailer(server.url, 'Postal Places <places@site.test>');
  cleanups.push(() => mailer.close());
  await mailer.send(MAIL);
  expect(server.messages).toMatchObject([{ to: ['ada@example.org'] }]);
  const source = server.messages[0]?.source ?? '';
  for (const line of ['From: Postal Places <places@site.test>', 'To: ada@example.org', 'Subject: A code']) {
    expect(source).toContain(`${line}\r\n`);
  }
  expect(source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(source).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/m);
});

test('a list of recipients is no recipient', async () => {
  const server = await startMailServer();
  cleanups.push(() => server.stop());
  const mailer = createSmtpMailer(server.url, 'places@site.test');
  cleanups.push(() => mailer.close());
  const odd = { ...MAIL, to: 'ada@example.org, bob@example.org', subject: 'A\r\nBcc: bob@example.org' };
  await mailer.send(odd).catch((error) => expect(error).toBeInstanceOf(MailError));
  for (const { to, source } of server.messages) {
    expect(to).not.toContain('bob@example.org');
    expect(source).not.toMatch(/^Bcc:/im);
  }
});

test('what the server refuses is told without the recipient', async () => {
  const refuse: SMTPServerOptions = { onRcptTo: ({ address }, _, done) => done(new Error(`no mail for ${address}`)) };
  const error = await refusalOf((await mailerTo(refuse)).send(MAIL));
  expect(error.message).toMatch(/^the mail server did not take a mail \(\w+, 550/);
  expect(error.message).not.toContain('ada');
});

test('a server that is not there is told', async () => {
  const mailer = createSmtpMailer('smtp://127.0.0.1:9', 'places@site.test');
  cleanups.push(() => mailer.close());
  expect((await refusalOf(mailer.send(MAIL))).message).toContain('ESOCKET');
});

test('a server elsewhere that has no TLS gets neither password nor mail', async () => {
  const seen: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username }, _, done) => {
      seen.push(username ?? '');
      done(null, { user: 'u' });
    },
  });
  const listening = server.listen(0, '0.0.0.0');
  await once(listening, 'listening');
  cleanups.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = listening.address() as AddressInfo;
  // Another name of this machine, that is none of those of the loopback interface.
  const mailer = createSmtpMailer(`smtp://u:secret@0.0.0.0:${port}`, 'places@site.test');
  cleanups.push(() => mailer.close());
  expect((await refusalOf(mailer.send(MAIL))).message).toContain('ETLS');
  expect(seen).toEqual([]);
});

test('a close waits for what is under way, and more than a hundred do not wait', async () => {
  let takenCount = 0;
  const mailer = await mailerTo({
    onData(stream, _, done) {
      stream.resume();
      stream.on('end', () => {
        takenCount++;
        setTimeout(done, 1);
      });
    },
  });
  const sending = Array.from({ length: 100 }, () => mailer.send(MAIL));
  expect((await refusalOf(mailer.send(MAIL))).message).toBe('too many mails wait for the mail server');
  await mailer.close();
  expect(takenCount).toBe(100);
  await Promise.all(sending);
});
