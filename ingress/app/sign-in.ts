import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import * as connections from '#sql/account/people/connections.ts'
import * as users from '#sql/account/people/users.ts'
import { redirectTo } from '../http/dashboard/admit.ts'
import { storeCeremony } from '../http/dashboard/cookies.ts'
import { shared } from '../http/dashboard/page.ts'
import { findMember } from '../http/dashboard/session.ts'
import { html, queryString } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { safeReturnPath, sendBare } from './bare.ts'
import { readForm } from './form.ts'
import { passkeyForm, passkeyScripts } from './passkey-form.ts'
import { requestCode } from './request-code.ts'

export const ReturnPath = z.string().max(2000).optional()

export const form = route({
  ...shared,
  method: 'GET',
  path: '/sign-in',
  summary: 'Sign in to the dashboard',
  query: z.object({ to: ReturnPath }),
  async handle({ ctx, db, query: { to } }) {
    if (await findMember(ctx, db)) return redirectTo(ctx, safeReturnPath(to))
    const main = html`<h1>Sign in</h1>
${passkeyForm({ way: 'sign-in', action: '/app/sign-in/passkey', button: 'Sign in with a passkey', to })}
<form class="sign-in" method="post" action="/app/sign-in">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username webauthn" required maxlength="254" spellcheck="false" autofocus>
${to !== undefined && html`<input type="hidden" name="to" value="${to}">`}
<button>Continue</button>
</form>
<p class="quiet">Millrace sends an email with a link and a six-digit code, or continues to the identity provider of your organisation.</p>`
    sendBare(ctx, { title: 'Sign in', main }, passkeyScripts())
  },
})

/** The response for unknown email addresses is the same, so it does not reveal who is a member. */
export const ask = route({
  ...shared,
  method: 'POST',
  path: '/sign-in',
  summary: 'Request a sign-in code',
  limit: { perMinute: 10, by: 'ip' },
  problems: [...shared.problems, 'rate_limited'],
  async handle({ ctx, db, origin, ip }) {
    const { email, to } = await readForm(ctx, origin, z.object({ email: Address, to: ReturnPath }))
    const [provider] = await connections.listForDomain(db, email.slice(email.lastIndexOf('@') + 1))
    const secret = await db.transaction(async (tx) => {
      const user = await users.findByEmail(tx, email)
      return await requestCode(tx, { ctx, ip }, { kind: 'mail', email, userId: user?.id, to })
    })
    storeCeremony(ctx, 'mail', secret)
    // The response does not reveal whether the provider is required. From the provider's page, owners and members of
    // other organisations can continue to the code.
    if (provider?.required) return redirectTo(ctx, `/app/sign-in/provider/${provider.id}${queryString({ to })}`)
    redirectTo(ctx, `/app/sign-in/code${queryString({ to, provider: provider?.id })}`)
  },
})
