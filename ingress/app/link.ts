import type { Context } from 'koa'
import { z } from 'zod'
import { hashSecret } from '#lib/tokens.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as users from '#sql/account/people/users.ts'
import { redirectTo } from '../http/dashboard/admit.ts'
import { clearCeremony, getCeremony } from '../http/dashboard/cookies.ts'
import { shared } from '../http/dashboard/page.ts'
import { html } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { safeReturnPath, sendBare } from './bare.ts'
import { startSignedInSession } from './enter.ts'
import { readForm } from './form.ts'

const Token = z.string().max(100)

export const open = route({
  ...shared,
  method: 'GET',
  path: '/sign-in/link/{token}',
  summary: 'Open a sign-in link from an email',
  params: z.object({ token: Token }),
  async handle({ ctx, db, params: { token } }) {
    const ceremony = await ceremonies.findByLink(db, token)
    if (!isOfBrowser(ctx, ceremony)) return sendElsewhere(ctx)
    const main = html`<h1>Sign in</h1>
<form class="sign-in" method="post" action="/app/sign-in/link">
<input type="hidden" name="link" value="${token}">
<button autofocus>Sign in as ${ceremony?.email}</button>
</form>`
    sendBare(ctx, { title: 'Sign in', main })
  },
})

/** The link works only in the browser that requested it, so that email scanners cannot use it. */
export const follow = route({
  ...shared,
  method: 'POST',
  path: '/sign-in/link',
  summary: 'Sign in with a link from an email',
  limit: { perMinute: 20, by: 'ip' },
  async handle({ ctx, db, origin, ip, requestId }) {
    const { link } = await readForm(ctx, origin, z.object({ link: Token }))
    const entered = await db.transaction(async (tx) => {
      const ceremony = await ceremonies.findByLink(tx, link)
      if (!ceremony?.user_id || !isOfBrowser(ctx, ceremony)) return null
      const user = await users.find(tx, ceremony.user_id)
      if (!user || !(await ceremonies.use(tx, ceremony.id))) return null
      await users.verify(tx, user.id)
      await startSignedInSession(tx, { ctx, ip, requestId }, user, { method: 'mail' })
      return safeReturnPath(ceremony.details.to)
    })
    if (entered === null) return sendElsewhere(ctx, 401)
    clearCeremony(ctx, 'mail')
    redirectTo(ctx, entered)
  },
})

function isOfBrowser(ctx: Context, ceremony: ceremonies.Ceremony | null): boolean {
  const secret = getCeremony(ctx, 'mail')
  return ceremony !== null && secret !== undefined && hashSecret(secret) === ceremony.browser_hash
}

function sendElsewhere(ctx: Context, status = 200): void {
  const main = html`<h1>Enter the code</h1>
<p role="alert">This link works only once, in the browser that requested it, and expires after ${ceremonies.ceremonyMinutes} minutes. In that browser, enter the six-digit code from the same email.</p>
<p><a href="/app/sign-in">Request another code in this browser</a></p>`
  sendBare(ctx, { title: 'Enter the code', main, status })
}
