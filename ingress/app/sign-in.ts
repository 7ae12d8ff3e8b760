import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Problem } from '#lib/errors.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as connections from '#sql/account/people/connections.ts'
import * as known from '#sql/account/people/known-places.ts'
import * as users from '#sql/account/people/users.ts'
import { mailCode } from '#tasks/account/mail-code.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { redirectTo } from '../http/dashboard/admit.ts'
import { getKnownBrowser, storeCeremony } from '../http/dashboard/cookies.ts'
import { shared } from '../http/dashboard/page.ts'
import { findMember } from '../http/dashboard/session.ts'
import { html, queryString } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { safeReturnPath, sendBare } from './bare.ts'
import { readForm } from './form.ts'
import { passkeyForm, passkeyScripts } from './passkey-form.ts'

export const ReturnPath = z.string().max(2000).optional()

/**
 * Maximum number of codes per email address in 15 minutes and per day: from one network, and from all networks. These
 * limits also limit the number of guesses. Browsers and networks from which the person has signed in before count
 * separately, so that attackers cannot use up the person's codes.
 */
const limits = { network: { soon: 5, day: 20 }, all: { soon: 30, day: 100 } }

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
    const network = getLoggedNetwork(ip)
    const { email, to } = await readForm(ctx, origin, z.object({ email: Address, to: ReturnPath }))
    const [provider] = await connections.listForDomain(db, email.slice(email.lastIndexOf('@') + 1))
    const secret = await db.transaction(async (tx) => {
      const user = await users.findByEmail(tx, email)
      const place = user && (await known.find(tx, user.id, { browser: getKnownBrowser(ctx), network }))
      const asked = await ceremonies.countCodeRequests(tx, email, { network, place })
      const over = ({ soon, day }: ceremonies.Asked, most: ceremonies.Asked) => soon >= most.soon || day >= most.day
      if (over(asked.here, limits.network) || (!place && over(asked.all, limits.all))) {
        const message = 'Too many codes were requested for this address. Wait 15 minutes, or use a passkey.'
        throw new Problem(429, 'rate_limited', message, { retryAfter: 900 })
      }
      const ceremony = await ceremonies.begin(tx, {
        kind: 'mail',
        email,
        user_id: user?.id ?? null,
        details: { network, ...(place && { place }), ...(to !== undefined && { to }) },
      })
      await enqueue(tx, mailCode, { ceremonyId: ceremony.id })
      return ceremony.secret
    })
    storeCeremony(ctx, 'mail', secret)
    // The response does not reveal whether the provider is required. From the provider's page, owners and members of
    // other organisations can continue to the code.
    if (provider?.required) return redirectTo(ctx, `/app/sign-in/provider/${provider.id}${queryString({ to })}`)
    redirectTo(ctx, `/app/sign-in/code${queryString({ to, provider: provider?.id })}`)
  },
})
