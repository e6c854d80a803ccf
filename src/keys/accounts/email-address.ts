/**
 * E-mail addresses: parses a typed address into the form that mail is sent to, and finds the addresses of one mailbox.
 * Only RFC 5321's dot-string without quoted parts is accepted, which needs no escaping in an SMTP envelope or a header:
 * no address contains a line break or another recipient.
 */

import { domainToASCII } from 'node:url';
import { AccountError } from './account-error.js';

const LOCAL_FORM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN_FORM = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/;
const DOMAIN_CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LOCAL_LIMIT = 64;
const ADDRESS_LIMIT = 254;

/**
 * The address in lower case, its domain in ASCII. No known server distinguishes capitals before the "@". Throws
 * AccountError ADDRESS_INVALID.
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

/** Whether the typed text is this address, in any spelling that parseEmailAddress accepts. */
export function isSameAddress(typed: string, address: string): boolean {
  try {
    return parseEmailAddress(typed) === address;
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    return false;
  }
}

/** Whether the address belongs to one of the domains or their subdomains; null allows every address. */
export function isOfDomains(address: string, domains: readonly string[] | null): boolean {
  const domain = address.slice(address.indexOf('@') + 1);
  return domains === null || domains.some((allowed) => domain === allowed || domain.endsWith(`.${allowed}`));
}

/** Dots are ignored, and both domains are equal (support.google.com/mail/answer/7436150 and /10313). */
const GMAIL_DOMAIN = /^(?:gmail|googlemail)\.com$/;
/**
 * Disposable addresses are "<base>-<keyword>", and a base belongs to one person; no other Yahoo name contains a "-"
 * (help.yahoo.com on disposable addresses; US 2006/0041621, "a preserved character, such as a dash").
 */
const YAHOO_DOMAIN = /^(?:yahoo(?:\.com?)?\.[a-z]{2,3}|ymail\.com|rocketmail\.com)$/;

/** All domains are equal, and ".", "-" and "_" are ignored (proton.me/support on addresses and aliases). */
const PROTON_DOMAIN = /^(?:proton\.me|pm\.me|protonmail\.(?:com|ch))$/;
/** All domains are equal, and a "." equals a "-" (as in validator.js). */
const YANDEX_DOMAIN = /^(?:ya\.ru|yandex\.(?:com|ru|by|kz|ua|com\.tr))$/;

/**
 * The mailbox to which an address is most likely delivered: many servers ignore a "+" and the text after it. Not all
 * do, so a proof for one address of a mailbox proves nothing about its other addresses.
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

/** A name that starts with the separator is kept. */
function withoutTag(local: string, separator: string): string {
  const at = local.indexOf(separator);
  return at > 0 ? local.slice(0, at) : local;
}
