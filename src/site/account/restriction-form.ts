/** The form of a key for web pages: what a publishable key is bound to, as fields and as restrictions. */

import type { Request } from 'express';
import type { Route } from '../../api/description/define-route.js';
import { FORM_OPERATIONS, keyOperations, parseKeyOperations } from '../../api/description/key-operations.js';
import { routeOf } from '../../api/description/routes.js';
import { InvalidValueError } from '../../base/errors.js';
import { AccountError } from '../../keys/accounts/account-error.js';
import { parseKeyName } from '../../keys/key/key-record.js';
import { parseOrigins } from '../../keys/key/origin.js';
import { parseRestrictions, type Restrictions } from '../../keys/key/restrictions.js';
import { DEFAULT_VISITOR_RATE, formatVisitorRate, parseVisitorRate } from '../../keys/key/visitor-rate.js';
import { capitalize } from '../html/formats.js';
import { type Html, html } from '../html/html.js';
import { accountPageProblem } from './account-page.js';
import { formField, formFields } from './form-body.js';

/** The texts and choices of the form as they were sent, valid or not. */
export interface TypedRestrictions {
  readonly name: string;
  /** One on each line. */
  readonly origins: string;
  readonly operations: readonly string[];
  readonly visitorRate: string;
}

/** A refused form: of the key with this id, or of a new key if it is null. */
export interface RefusedForm {
  readonly keyId: string | null;
  readonly typed: TypedRestrictions;
  readonly message: string;
}

export const NEW_FORM: TypedRestrictions = {
  name: 'web pages',
  origins: '',
  operations: FORM_OPERATIONS,
  visitorRate: formatVisitorRate(DEFAULT_VISITOR_RATE),
};

export function restrictionFormOf(name: string, { origins, operations, visitorRate }: Restrictions): TypedRestrictions {
  return { name, origins: origins.join('\n'), operations, visitorRate: formatVisitorRate(visitorRate) };
}

/** A form whose texts are no restrictions: the dashboard shows it again. */
export class RefusedFormError extends AccountError {
  constructor(readonly form: RefusedForm) {
    super('RESTRICTIONS_INVALID', form.message);
  }
}

/** The name and restrictions of a form, of the key in its path or of a new key; throws RefusedFormError. */
export function parseRestrictionForm(request: Request): { readonly name: string; readonly restrictions: Restrictions } {
  const { id: keyId = null } = request.params as { readonly id?: string };
  const typed: TypedRestrictions = {
    // The form of a key that exists does not rename it.
    name: keyId === null ? formField(request, 'name') : NEW_FORM.name,
    origins: formField(request, 'origins'),
    operations: formFields(request, 'operations'),
    visitorRate: formField(request, 'visitorRate'),
  };
  try {
    if (typed.operations.length === 0) throw new InvalidValueError('choose what the pages may call');
    const origins = parseOrigins(typed.origins.split(/[\s,]+/).filter((origin) => origin !== ''));
    const operations = parseKeyOperations(typed.operations);
    const visitorRate = parseVisitorRate(typed.visitorRate.trim());
    return {
      name: parseKeyName(typed.name.trim()),
      restrictions: parseRestrictions({ origins, operations, visitorRate }),
    };
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new RefusedFormError({ keyId, typed, message: `${capitalize(error.message)}.` });
  }
}

/** The fields of the key with this id, or of a new key. */
export function restrictionFields(keyId: string | null, saved: TypedRestrictions, refused?: RefusedForm): Html {
  const isRefused = refused !== undefined && refused.keyId === keyId;
  const { name, origins, operations, visitorRate } = isRefused ? refused.typed : saved;
  const suffix = keyId ?? 'new';
  return html`${isRefused && accountPageProblem(refused.message)}
${
  keyId === null &&
  html`<label for="name-of-${suffix}">Name</label>
<input id="name-of-${suffix}" name="name" required maxlength="100" autocomplete="off" value="${name}">`
}
<label for="origins-${suffix}">Origins of your web pages, one on each line</label>
<textarea id="origins-${suffix}" name="origins" rows="3" required spellcheck="false" autocomplete="off" autocapitalize="off" aria-describedby="origins-note-${suffix}" placeholder="https://shop.example">${origins}</textarea>
<p class="note" id="origins-note-${suffix}">Scheme, host and port, such as https://shop.example or http://localhost:8080; https://*.shop.example stands for all that is below shop.example. Up to ten.</p>
<fieldset><legend>What the pages may call</legend>
${keyOperations.map((id) => operationBox(id, suffix, operations.includes(id)))}</fieldset>
<label for="rate-${suffix}">Requests of each visitor</label>
<input id="rate-${suffix}" name="visitorRate" required maxlength="10" autocomplete="off" value="${visitorRate}" aria-describedby="rate-note-${suffix}">
<p class="note" id="rate-note-${suffix}">A second, minute, hour or day: 10/s, 60/m, 100/h, 300/d. A visitor is a network address.</p>`;
}

function operationBox(id: string, suffix: string, isChosen: boolean): Html {
  const { summary } = routeOf(id as Route['id']);
  return html`<label class="choice" for="${id}-${suffix}"><input type="checkbox" id="${id}-${suffix}" name="operations" value="${id}"${isChosen && html` checked`}><span>${summary} <code>${id}</code></span></label>`;
}
