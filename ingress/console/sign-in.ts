import type { Context } from 'koa'
import { z } from 'zod'
import { log } from '#lib/log.ts'
import { hashSecret, looksLikeKey, operatorScope } from '#lib/tokens.ts'
import { touchAll } from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { requireAllowedNetwork } from '../http/auth.ts'
import { consoleFrame } from '../http/console/contents.ts'
import { shared } from '../http/console/page.ts'
import { endSession, findOperator, sessionHours, startSession } from '../http/console/session.ts'
import { checkSource, checkToken } from '../http/html/csrf.ts'
import { html } from '../http/html/html.ts'
import { bareDocument, sendPage } from '../http/html/layout.ts'
import { route } from '../http/route.ts'
import { readForm } from './form.ts'

const ReturnPath = z.string().max(2000).optional()

const target = (to: string | undefined): string => (to && /^\/ops(\/[^\\]*|\?[^\\]*)?$/.test(to) ? to : '/ops')

export const form = route({
  ...shared,
  method: 'GET',
  path: '/sign-in',
  summary: 'Sign in to the console',
  query: z.object({ to: ReturnPath }),
  async handle({ ctx, db, query }) {
    if (await findOperator(ctx, db)) return redirectTo(ctx, target(query.to))
    sendForm(ctx, query.to)
  },
})

/** Limited to ten attempts per minute and IP address. */
export const enter = route({
  ...shared,
  method: 'POST',
  path: '/sign-in',
  summary: 'Sign in to the console',
  limit: { perMinute: 10, by: 'ip' },
  async handle({ ctx, db, origin, ip }) {
    checkSource(ctx, origin)
    const { key, to } = await readForm(ctx, z.object({ key: z.string().max(500), to: ReturnPath }))
    const caller = await operatorOf(db, key.trim())
    if (!caller) {
      log.warn({ ip }, 'sign-in to the console rejected')
      sendForm(
        ctx,
        to,
        'This is not an operator key. The key is unknown or revoked, or it does not have the “operator” scope.',
      )
      ctx.status = 401
      return
    }
    requireAllowedNetwork(caller, ip)
    log.info({ ip, key_id: caller.key.id }, 'signed in to the console')
    await startSession(ctx, db, caller.key.id, origin)
    await touchAll(db, new Map([[caller.key.secret_id, new Date()]]))
    redirectTo(ctx, target(to))
  },
})

export const leave = route({
  ...shared,
  method: 'POST',
  path: '/sign-out',
  summary: 'Sign out of the console',
  async handle({ ctx, db, origin }) {
    checkSource(ctx, origin)
    const { token } = await readForm(ctx, z.object({ token: z.string() }))
    const operator = await findOperator(ctx, db)
    if (operator) {
      checkToken(operator, token)
      await endSession(ctx, db, operator, origin)
    }
    redirectTo(ctx, '/ops/sign-in')
  },
})

async function operatorOf(db: Db, secret: string): Promise<keys.Caller | null> {
  const caller = looksLikeKey(secret) ? await keys.findCaller(db, hashSecret(secret)) : null
  return caller?.key.scopes.includes(operatorScope) ? caller : null
}

export function redirectTo(ctx: Context, to: string): void {
  ctx.redirect(to)
  ctx.status = 303
}

function sendForm(ctx: Context, to: string | undefined, fault?: string): void {
  const main = html`<h1>Sign in to the console</h1>
<form class="sign-in" method="post" action="/ops/sign-in">
${fault !== undefined && html`<p class="fault" role="alert" id="fault">${fault}</p>`}
<label for="key">Operator key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required maxlength="500" spellcheck="false"
 autofocus${fault !== undefined && html` aria-invalid="true" aria-describedby="fault"`}>
${to !== undefined && html`<input type="hidden" name="to" value="${to}">`}
<button>Sign in</button>
</form>
<p class="quiet">You need an API key with the “operator” scope. <code>npx millrace keys create</code> creates one. <code>npm start</code> writes the development key to <code>dev.json</code>. The session lasts up to ${sessionHours} hours.</p>`
  sendPage(ctx, bareDocument(consoleFrame, { title: 'Sign in', main }))
}
