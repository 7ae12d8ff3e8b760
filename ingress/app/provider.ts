import type { Context } from 'koa'
import * as oidc from 'openid-client'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as connections from '#sql/account/people/connections.ts'
import type { Db } from '#sql/db.ts'
import type { Services } from '../http/container.ts'
import { callbackUrl } from '../http/dashboard/callback.ts'
import { getCeremony, storeCeremony } from '../http/dashboard/cookies.ts'
import { shared } from '../http/dashboard/page.ts'
import type { Member } from '../http/dashboard/session.ts'
import { html, queryString } from '../http/html/html.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { sendBare } from './bare.ts'
import { readForm, readMemberForm } from './form.ts'
import { callProvider, discoverProvider, providers } from './provider-client.ts'
import { ReturnPath } from './sign-in.ts'

const params = z.object({ id: pathId('identity provider') })

export const form = route({
  ...shared,
  method: 'GET',
  path: '/sign-in/provider/{id}',
  summary: 'Sign in with an identity provider',
  params,
  query: z.object({ to: ReturnPath }),
  async handle({ ctx, db, params: { id }, query: { to } }) {
    const connection = await mustFind(connections.findAny(db, id), 'identity provider')
    const main = html`<h1>Sign in</h1>
<form class="sign-in" method="post" action="/app/sign-in/provider">
<input type="hidden" name="id" value="${id}">
${to !== undefined && html`<input type="hidden" name="to" value="${to}">`}
<button autofocus>Continue to ${new URL(connection.issuer).host}</button>
</form>
${
  getCeremony(ctx, 'mail') !== undefined &&
  html`<p>Owners, and members whose organisation allows email sign-in, receive a code by email: <a href="/app/sign-in/code${queryString({ to, provider: id })}">Enter the code</a>.</p>`
}`
    sendBare(ctx, { title: 'Sign in', main })
  },
})

export const begin = route({
  ...shared,
  method: 'POST',
  path: '/sign-in/provider',
  summary: 'Start a sign-in with an identity provider',
  limit: { perMinute: 20, by: 'ip' },
  problems: [...shared.problems, 'upstream_error'],
  async handle({ ctx, db, origin, services }) {
    const { id, to } = await readForm(ctx, origin, z.object({ id: Id, to: ReturnPath }))
    const connection = await mustFind(connections.findAny(db, id), 'identity provider')
    await sendOff({ ctx, db, origin, services }, connection, { to })
  },
})

export const confirm = route({
  ...shared,
  method: 'POST',
  path: '/step-up/provider',
  summary: 'Start a confirmation with an identity provider',
  limit: { perMinute: 20, by: 'ip' },
  problems: [...shared.problems, 'upstream_error'],
  async handle(call) {
    const { member, form } = await readMemberForm(call, { to: ReturnPath, fields: z.string().max(300_000).optional() })
    const found = connections.findOfUser(call.db, member.orgId, member.userId)
    const fields = form.fields && sealedForms(call.services).close(form.fields, member.sessionId)
    await sendOff(call, await mustFind(found, 'identity provider'), { to: form.to, fields, member })
  },
})

/** Encrypts a form that continues after the confirmation, because the form can contain secrets. */
export const sealedForms = (services: Services) => createSeal(services(signingSecret), 'forms of confirmations')

interface Asking {
  ctx: Context
  db: Db
  origin: string
  services: Services
}

/** Redirects to a provider with a web page, because our policy forbids form submissions to other sites. */
async function sendOff(
  { ctx, db, origin, services }: Asking,
  connection: connections.Connection,
  { to, fields, member }: { to: string | undefined; fields?: string | undefined; member?: Member },
): Promise<void> {
  const provider = await discoverProvider(services(providers), connection, services(signingSecret))
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
  const challenge = await oidc.calculatePKCECodeChallenge(verifier)
  const url = await callProvider(async () =>
    oidc.buildAuthorizationUrl(provider, {
      redirect_uri: callbackUrl(origin),
      scope: 'openid email profile',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(member && { max_age: '0', login_hint: member.email }),
    }),
  )
  const { secret } = await ceremonies.begin(db, {
    kind: member ? 'oidc_step_up' : 'oidc',
    user_id: member?.userId ?? null,
    session_id: member?.sessionId ?? null,
    details: {
      connection: connection.id,
      verifier,
      state,
      nonce,
      ...(to !== undefined && { to }),
      ...(fields && { fields }),
    },
  })
  storeCeremony(ctx, 'oidc', secret)
  const main = html`<h1>Sign in at ${url.host}</h1><p><a class="button" href="${url.href}">Continue to ${url.host}</a></p>`
  sendBare(ctx, { title: 'Sign in', main }, html`<meta http-equiv="refresh" content="0; url=${url.href}">`)
}
