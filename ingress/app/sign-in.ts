import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Problem } from '#lib/errors.ts'
import * as ceremonies from '#sql/account/ceremonies.ts'
import * as connections from '#sql/account/connections.ts'
import * as users from '#sql/account/users.ts'
import { mailCode } from '#tasks/account/mail-code.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { html, search } from '../http/console/html.ts'
import { keepCeremony } from '../http/dashboard/cookies.ts'
import { go, shared } from '../http/dashboard/page.ts'
import { findMember } from '../http/dashboard/session.ts'
import { route } from '../http/route.ts'
import { pageOf, sendBare } from './bare.ts'
import { readForm } from './form.ts'
import { passkeyForm, scripts } from './passkey-form.ts'

/** A path to go back to. */
export const ReturnPath = z.string().max(2000).optional()

/** Codes that one address may ask for in a quarter of an hour and in a day: so many guesses are there to make. */
const [soonLimit, dayLimit] = [5, 20]

/** `GET /app/sign-in`. */
export const form = route({
  ...shared,
  method: 'GET',
  path: '/sign-in',
  summary: 'Sign in to the dashboard',
  query: z.object({ to: ReturnPath }),
  async handle({ ctx, db, query: { to } }) {
    if (await findMember(ctx, db)) return go(ctx, pageOf(to))
    const main = html`<h1>Sign in</h1>
${passkeyForm({ way: 'sign-in', action: '/app/sign-in/passkey', button: 'Sign in with a passkey', to })}
<form class="sign-in" method="post" action="/app/sign-in">
<label for="email">Mail address</label>
<input id="email" name="email" type="email" autocomplete="username webauthn" required maxlength="254" spellcheck="false" autofocus>
${to !== undefined && html`<input type="hidden" name="to" value="${to}">`}
<button>Go on</button>
</form>
<p class="quiet">You get a mail with a link and a code of six digits, or go on to the identity provider of your organisation.</p>`
    sendBare(ctx, { title: 'Sign in', main }, scripts())
  },
})

/** `POST /app/sign-in`: has a code mailed, if the address is a member's; which it is, nobody is told. */
export const ask = route({
  ...shared,
  method: 'POST',
  path: '/sign-in',
  summary: 'Ask for a code to sign in',
  limit: { perMinute: 10, by: 'ip' },
  problems: [...shared.problems, 'rate_limited'],
  async handle({ ctx, db, origin }) {
    const { email, to } = await readForm(ctx, origin, z.object({ email: Address, to: ReturnPath }))
    const [provider] = await connections.listForDomain(db, email.slice(email.lastIndexOf('@') + 1))
    if (provider?.required) return go(ctx, `/app/sign-in/provider/${provider.id}${search({ to })}`)
    const secret = await db.transaction(async (tx) => {
      const { soon, day } = await ceremonies.countAsked(tx, email)
      if (soon >= soonLimit || day >= dayLimit) {
        const message = 'Too many codes were asked for at this address. Wait a quarter of an hour, or use a passkey.'
        throw new Problem(429, 'rate_limited', message, { retryAfter: 900 })
      }
      const user = await users.findByEmail(tx, email)
      const ceremony = await ceremonies.begin(tx, {
        kind: 'mail',
        email,
        user_id: user?.id ?? null,
        details: to === undefined ? {} : { to },
      })
      await enqueue(tx, mailCode, { ceremonyId: ceremony.id })
      return ceremony.secret
    })
    keepCeremony(ctx, 'mail', secret)
    go(ctx, `/app/sign-in/code${search({ to, provider: provider?.id })}`)
  },
})
