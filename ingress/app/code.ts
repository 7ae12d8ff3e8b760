import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as users from '#sql/account/people/users.ts'
import { redirectTo } from '../http/dashboard/admit.ts'
import { clearCeremony, getCeremony } from '../http/dashboard/cookies.ts'
import { shared } from '../http/dashboard/page.ts'
import { type Html, html, queryString } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { safeReturnPath, sendBare } from './bare.ts'
import { recordRefusedSignIn, type SignInSource, startSignedInSession } from './enter.ts'
import { readForm } from './form.ts'
import { ReturnPath } from './sign-in.ts'

export const form = route({
  ...shared,
  method: 'GET',
  path: '/sign-in/code',
  summary: 'Show the form for a sign-in code',
  query: z.object({ to: ReturnPath, provider: Id.optional() }),
  async handle({ ctx, query: { to, provider } }) {
    sendBare(ctx, { title: 'Enter the code', main: codeForm({ to, provider }) })
  },
})

function codeForm({
  to,
  provider,
  fault,
}: {
  to: string | undefined
  provider?: string | undefined
  fault?: string
}): Html {
  return html`<h1>Enter the code</h1>
<p>If the address belongs to a member, Millrace has sent an email with a six-digit code. The code works only in this browser and expires in ${ceremonies.ceremonyMinutes} minutes.</p>
<form class="sign-in" method="post" action="/app/sign-in/code">
${fault !== undefined && html`<p class="fault" role="alert" id="fault">${fault}</p>`}
<label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="20" spellcheck="false"
 autofocus${fault !== undefined && html` aria-invalid="true" aria-describedby="fault"`}>
${to !== undefined && html`<input type="hidden" name="to" value="${to}">`}
<button>Sign in</button>
</form>
${provider !== undefined && html`<p><a href="/app/sign-in/provider/${provider}${queryString({ to })}">Sign in with your organisation’s identity provider</a></p>`}
<p><a href="/app/sign-in${queryString({ to })}">Request another code</a></p>`
}

export const enterCode = route({
  ...shared,
  method: 'POST',
  path: '/sign-in/code',
  summary: 'Sign in with a code from an email',
  limit: { perMinute: 20, by: 'ip' },
  async handle({ ctx, db, origin, ip, requestId }) {
    const { code, to } = await readForm(ctx, origin, z.object({ code: z.string().max(20), to: ReturnPath }))
    const secret = getCeremony(ctx, 'mail')
    const from = { ctx, ip, requestId }
    const outcome = secret
      ? await db.transaction((tx) => tryCode(tx, from, secret, code.replace(/[\s-]/g, '')))
      : 'over'
    if (outcome === 'signed in') {
      clearCeremony(ctx, 'mail')
      return redirectTo(ctx, safeReturnPath(to))
    }
    const fault =
      outcome === 'wrong'
        ? 'The code is incorrect. Enter the six digits from the latest email.'
        : 'The code has expired. Request another code.'
    sendBare(ctx, { title: 'Enter the code', main: codeForm({ to, fault }), status: 401 })
  },
})

type Tx = Parameters<typeof ceremonies.countTry>[0]

/** A wrong code does not throw, because the commit must count the attempt. */
async function tryCode(
  tx: Tx,
  from: SignInSource,
  secret: string,
  code: string,
): Promise<'signed in' | 'wrong' | 'over'> {
  const ceremony = await ceremonies.countTry(tx, 'mail', secret)
  if (!ceremony) return 'over'
  const user = ceremony.user_id ? await users.find(tx, ceremony.user_id) : null
  if (ceremony.code_hash === null || ceremonies.codeHash(ceremony.id, code) !== ceremony.code_hash) {
    if (user) await recordRefusedSignIn(tx, from, user, { method: 'mail', reason: 'wrong code' })
    return ceremony.tries >= ceremonies.maxTries ? 'over' : 'wrong'
  }
  if (!user || !(await ceremonies.use(tx, ceremony.id))) return 'over'
  await users.verify(tx, user.id)
  await startSignedInSession(tx, from, user, { method: 'mail' })
  return 'signed in'
}
