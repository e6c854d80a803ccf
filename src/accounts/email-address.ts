/**
 * E-mail addresses as accounts have them: what a person types, in the form in which mail is sent to it and in which two
 * addresses are one. Only what can stand in an SMTP envelope and in a header as it is gets through (RFC 5321's
 * dot-string, without quoted parts), so no address can carry a line break or another recipient.
 */
import { domainToASCII } from 'node:url';
import { AccountError } from './account-error.js';

const LOCAL_FORM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN_FORM = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/;
const DOMAIN_CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LOCAL_LIMIT = 64;
const ADDRESS_LIMIT = 254;

/**
 * The address in lower case, its domain as DNS has it. Servers may tell capitals in the part before the "@" apart; none
 * that is known does. Throws AccountError ADDRESS_INVALID.
 */
export function parseEmailAddress(text: string): string {
  const [, local = '', domain = ''] = /^\s*([^\s@]+)@([^\s@]+)\s*$/.exec(text.slice(0, 2 * ADDRESS_LIMIT)) ?? [];
  // domainToASCII would take "example.org?x" for "example.org".
  const host = domainToASCII(DOMAIN_CHARACTERS.test(domain) ? domain : '').toLowerCase();
  const address = `${local.toLowerCase()}@${host}`;
  const isSound = local.length <= LOCAL_LIMIT && LOCAL_FORM.test(local) && DOMAIN_FORM.test(host);
  if (!isSound || address.length > ADDRESS_LIMIT) {
    throw new AccountError('ADDRESS_INVALID', 'That is not an e-mail address that mail can be sent to.');
  }
  return address;
}

/**
 * Whether a person typed this address, in whatever spelling parseEmailAddress takes for it: `müller.de`,
 * `xn--mller-kva.de`.
 */
export function isSameAddress(typed: string, address: string): boolean {
  try {
    return parseEmailAddress(typed) === address;
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    return false;
  }
}

/** Whether the address belongs to one of the domains, or to a domain below one; null lets every address in. */
export function isOfDomains(address: string, domains: readonly string[] | null): boolean {
  const domain = address.slice(address.indexOf('@') + 1);
  return domains === null || domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`));
}

/** Dots make no difference, and both domains are one (support.google.com/mail/answer/7436150 and /10313). */
const GMAIL_DOMAIN = /^(?:gmail|googlemail)\.com$/;
/**
 * Disposable addresses are "<base>-<keyword>", and all of one base are one person's; no name that Yahoo gives has a "-"
 * (help.yahoo.com on disposable addresses; US 2006/0041621, "a preserved character, such as a dash").
 */
const YAHOO_DOMAIN = /^(?:yahoo(?:\.com?)?\.[a-z]{2,3}|ymail\.com|rocketmail\.com)$/;

/** All domains are one (proton.me/support on addresses and aliases), and ".", "-" and "_" make no difference. */
const PROTON_DOMAIN = /^(?:proton\.me|pm\.me|protonmail\.(?:com|ch))$/;
/** All domains are one (as validator.js has it), and a "." is a "-". */
const YANDEX_DOMAIN = /^(?:ya\.ru|yandex\.(?:com|ru|by|kz|ua|com\.tr))$/;

/**
 * The mailbox that an address most likely leads to: many servers leave what follows a "+" to the owner of the mailbox.
 * Not all do, so whoever gets the mail of one address of a mailbox has not shown to get the mail of another.
 */
export function mailboxOf(address: string): string {
  const at = address.indexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const name = withoutTag(local, '+');
  if (GMAIL_DOMAIN.test(domain)) return `${name.replaceAll('.', '')}@gmail.com`;
  if (PROTON_DOMAIN.test(domain)) return `${name.replaceAll(/[._-]/g, '')}@proton.me`;
  if (YANDEX_DOMAIN.test(domain)) return `${name.replaceAll('.', '-')}@yandex.com`;
  return `${YAHOO_DOMAIN.test(domain) ? withoutTag(name, '-') : name}@${domain}`;
}

/** A name that is nothing but a tag is a name. */
function withoutTag(local: string, separator: string): string {
  const at = local.indexOf(separator);
  return at > 0 ? local.slice(0, at) : local;
}
