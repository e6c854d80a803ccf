/**
 * The addresses below /account. A GET changes nothing; every change is a POST from a page of the site.
 * No response is cached. AccountErrors become pages here. However often a request asks
 * Redis, it waits no longer than it may in all.
 */
import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { AccountError } from '../../accounts/account-error.js';
import type { Logger } from '../../logger.js';
import { withinLimits } from '../../storage/redis/wait-budget.js';
import type { Opener } from '../request-context.js';
import { AccountContext } from './account-context.js';
import type { AccountSite } from './account-site.js';
import { field, hasForm, MAX_FORM_BYTES, move } from './forms.js';
import { addKeyRoutes, addLeavingRoutes } from './key-routes.js';
import { addMailRoutes } from './mail-routes.js';
import { ProviderError } from './provider-error.js';
import { addProviderRoutes } from './provider-routes.js';
import { accountRefusal, STATUS, troublePage, unreadablePage } from './refusals.js';
import { isSameOrigin } from './same-origin.js';
import { freshPage, refusalPage, signInPage } from './sign-in-pages.js';

const FORMS = [
  ...['/sign-in', '/fresh', '/provider', '/keys', '/keys/:id/reveal', '/keys/:id/replace', '/keys/:id/revoke'],
  ...['/keys/publishable', '/keys/:id/restrict'],
  ...['/sign-out', '/sign-out-everywhere', '/close'],
];

export function createAccountRouter(site: AccountSite, open: Opener, logger: Logger): Router {
  const { mailer, provider } = site;
  const accountContext = new AccountContext(site, open, logger);
  const router = Router({ caseSensitive: true });
  router.post('/{*path}', refuseForeign(open));
  router.post('/{*path}', refuseOtherBodies(open));
  router.post('/{*path}', express.urlencoded({ extended: false, limit: MAX_FORM_BYTES }));
  // After the body parser: the last bytes of a body arrive outside of the request's async context.
  router.use((_request, _response, next) => withinLimits(site.waitLimits, next));
  router.get('/', async (request, response) => {
    const signed = await accountContext.find(request);
    if (signed === undefined) open(request, response).send(signInPage(accountContext.ways));
    else await accountContext.showDashboard(request, response, {}, signed);
  });
  if (mailer !== undefined) addMailRoutes(router, accountContext, mailer);
  if (provider !== undefined) addProviderRoutes(router, accountContext, provider);
  addKeyRoutes(router, accountContext);
  addLeavingRoutes(router, accountContext);
  // Where a form was sent to, and is asked for again as a page.
  router.get(FORMS, (_, response) => move(response, '/account'));
  router.use(handleErrors(accountContext, logger));
  return router;
}

function refuseForeign(open: Opener): RequestHandler {
  return (request, response, next) => {
    const context = open(request, response);
    if (isSameOrigin(request, context.site.siteUrl)) next();
    else context.send(refusalPage('Not from here', 'Only pages of this site can change an account.', 403));
  };
}

/** The server discards every body that is no form (server.ts), so there is nothing to read. */
function refuseOtherBodies(open: Opener): RequestHandler {
  return (request, response, next) => {
    if (request.headers['transfer-encoding'] === undefined && request.headers['content-length'] === undefined) next();
    else if (hasForm(request)) next();
    else open(request, response).send(unreadablePage());
  };
}

function handleErrors(accountContext: AccountContext, logger: Logger): ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof AccountError) {
      try {
        return await refuse(accountContext, error, request, response);
      } catch (trouble) {
        // The store failed while the account was looked up for the page.
        return tell(trouble, request, response, next);
      }
    }
    tell(error, request, response, next);
  };

  function tell(error: unknown, request: Request, response: Response, next: NextFunction): void {
    const page = troublePage(error);
    if (page === undefined) {
      next(error);
      return;
    }
    const { message } = error as Error;
    const isOutage = page.status === 503;
    if (error instanceof ProviderError) {
      const fields = { code: error.code, problem: message };
      if (isOutage) logger.error(fields, 'the provider could not be asked');
      else logger.warn(fields, 'a sign-in through the provider was refused');
    } else if (isOutage) logger.error({ problem: message }, 'an account could not be asked');
    accountContext.open(request, response).send(page, isOutage ? ['retry-after', '30'] : []);
  }
}

async function refuse(
  accountContext: AccountContext,
  error: AccountError,
  request: Request,
  response: Response,
): Promise<void> {
  const { code, message, waitSeconds } = error;
  if (code === 'SIGNED_OUT') return move(response, '/account', accountContext.site.cookies.header('session', ''));
  const context = accountContext.open(request, response);
  const headers = waitSeconds === null ? [] : ['retry-after', String(waitSeconds)];
  const page = accountRefusal(error);
  if (page !== undefined) return context.send(page, headers);
  const signed = await accountContext.find(request);
  const status = STATUS[code];
  if (signed === undefined) {
    return context.send(
      signInPage({ ...accountContext.ways, message, status, email: field(request, 'email') }),
      headers,
    );
  }
  if (code === 'SIGN_IN_STALE') return context.send(freshPage(signed.account.email, accountContext.ways));
  await accountContext.showDashboard(request, response, { message, status }, signed);
}
