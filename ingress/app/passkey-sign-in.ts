import type { Context } from 'koa'
import { z } from 'zod'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as users from '#sql/account/people/users.ts'
import { redirectTo } from '../http/dashboard/admit.ts'
import { clearCeremony, getCeremony, storeCeremony } from '../http/dashboard/cookies.ts'
import { shared } from '../http/dashboard/page.ts'
import { checkSource } from '../http/html/csrf.ts'
import { html } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { safeReturnPath, sendBare } from './bare.ts'
import { recordRefusedSignIn, startSignedInSession } from './enter.ts'
import { readForm } from './form.ts'
import { beginAuthentication, ResponseField, verifyAuthentication } from './passkeys.ts'
import { ReturnPath } from './sign-in.ts'

export function sendOptions(ctx: Context, { options, secret }: { options: object; secret: string }): void {
  storeCeremony(ctx, 'passkey', secret)
  ctx.type = 'application/json; charset=utf-8'
  ctx.set('x-content-type-options', 'nosniff')
  ctx.body = JSON.stringify(options)
}

export const challenge = route({
  ...shared,
  method: 'POST',
  path: '/passkeys/sign-in',
  summary: 'Start a passkey sign-in',
  limit: { perMinute: 30, by: 'ip' },
  async handle({ ctx, db, origin }) {
    checkSource(ctx, origin)
    sendOptions(ctx, await beginAuthentication(db, origin))
  },
})

/** Each response uses up its challenge, even if the response is invalid. */
export const answer = route({
  ...shared,
  method: 'POST',
  path: '/sign-in/passkey',
  summary: 'Sign in with a passkey',
  limit: { perMinute: 30, by: 'ip' },
  async handle({ ctx, db, origin, ip, requestId }) {
    const { response, to } = await readForm(ctx, origin, z.object({ response: ResponseField, to: ReturnPath }))
    const secret = getCeremony(ctx, 'passkey')
    const ceremony = secret ? await ceremonies.take(db, 'sign_in', secret) : null
    clearCeremony(ctx, 'passkey')
    const from = { ctx, ip, requestId }
    const entered = await db.transaction(async (tx) => {
      const passkey = ceremony?.challenge ? await verifyAuthentication(tx, origin, ceremony.challenge, response) : null
      const user = passkey && (await users.find(tx, passkey.user_id))
      if (!user) return false
      if (user.disabled_at !== null) {
        await recordRefusedSignIn(tx, from, user, { method: 'passkey', reason: 'disabled' })
        return false
      }
      await startSignedInSession(tx, from, user, { method: 'passkey', steppedUp: true })
      return true
    })
    if (entered) return redirectTo(ctx, safeReturnPath(to))
    const main = html`<h1>Sign-in with this passkey failed</h1>
<p role="alert">The passkey is unknown, or the page has expired. Try again, or sign in by email.</p>
<p><a class="button" href="/app/sign-in">Sign in</a></p>`
    sendBare(ctx, { title: 'Sign in', main, status: 401 })
  },
})
