import * as oidc from 'openid-client'
import { z } from 'zod'
import { forbidden } from '#lib/errors.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import { toStorableText } from '#lib/outside-text.ts'
import * as audit from '#sql/account/audit.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as connections from '#sql/account/people/connections.ts'
import type { Db } from '#sql/db.ts'
import { joinByProvider } from '#tasks/account/rules/join-by-provider.ts'
import type { Services } from '../http/container.ts'
import { callbackUrl } from '../http/dashboard/callback.ts'
import { clearCeremony, getCeremony } from '../http/dashboard/cookies.ts'
import { shared } from '../http/dashboard/page.ts'
import { stepUp } from '../http/dashboard/session.ts'
import type { FormValues } from '../http/html/form.ts'
import { html } from '../http/html/html.ts'
import type { View } from '../http/html/layout.ts'
import { tokenField } from '../http/html/parts.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { safeReturnPath, sendBare } from './bare.ts'
import { hiddenFields } from './confirmation-dialog.ts'
import { type SignInSource, startSignedInSession } from './enter.ts'
import { passkeyScripts } from './passkey-form.ts'
import { sealedForms } from './provider.ts'
import { type Profile, readProfile, readVerifiedEmail } from './provider-claims.ts'
import { callProvider, discoverProvider, providers } from './provider-client.ts'

/** Allowed clock skew in seconds. */
const skew = 30

/** The identity provider's site sends this request, so the browser does not send the session cookie. */
export const take = route({
  ...shared,
  method: 'GET',
  path: '/sign-in/callback',
  summary: 'Complete a sign-in with an identity provider',
  limit: { perMinute: 20, by: 'ip' },
  problems: [...shared.problems, 'upstream_error'],
  async handle({ ctx, db, origin, ip, requestId, services }) {
    const secret = getCeremony(ctx, 'oidc')
    clearCeremony(ctx, 'oidc')
    const ceremony = secret
      ? ((await ceremonies.take(db, 'oidc', secret)) ?? (await ceremonies.take(db, 'oidc_step_up', secret)))
      : null
    const connection = ceremony && (await connections.findAny(db, ceremony.details.connection ?? ''))
    if (!ceremony || !connection) throw forbidden('The sign-in has expired. Sign in again.')
    const provider = await discoverProvider(services(providers), connection, services(signingSecret))
    const { verifier = '', state = '', nonce = '', to } = ceremony.details
    const current = new URL(callbackUrl(origin))
    current.search = ctx.search
    const confirms = ceremony.kind === 'oidc_step_up'
    const tokens = await callProvider(() =>
      oidc.authorizationCodeGrant(provider, current, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(confirms && { maxAge: 600 }),
      }),
    )
    const claims = tokens.claims()
    if (!claims) throw forbidden('The identity provider returned no identity.')
    demandSubject(claims)
    const from = { ctx, ip, requestId }
    const isKnown = (await connections.findUserId(db, connection.id, claims.sub)) !== null
    const profile = isKnown || confirms ? null : await readProfile(provider, tokens, claims)
    const page = safeReturnPath(to)
    if (confirms) {
      const { csrf } = await db.transaction((tx) => confirm(tx, from, { ceremony, connection, claims }))
      const fields = readFields(ceremony, services)
      if (fields) return sendBare(ctx, continueForm(page, fields, csrf), passkeyScripts())
    } else await db.transaction((tx) => signIn(tx, from, { connection, claims, profile }))
    const main = html`<p><a class="button" href="${page}">Continue</a></p>`
    sendBare(ctx, { title: 'Signed in', main }, html`<meta http-equiv="refresh" content="0; url=${page}">`)
  },
})

/** Maximum length of a subject in characters (OpenID Connect Core 1.0, §2). */
const maxSubject = 255

/** Throws 403 if the subject is too long or cannot be stored as text. */
function demandSubject({ sub }: oidc.IDToken): void {
  if (sub.length === 0 || sub.length > maxSubject)
    throw forbidden(`The identity provider sent a subject (\`sub\`) that is longer than ${maxSubject} characters.`)
  if (sub !== toStorableText(sub))
    throw forbidden('The identity provider sent a subject (`sub`) with invalid characters.')
}

/** Returns the fields of the form that needed the confirmation. `null` if there is no form. */
function readFields({ details, session_id }: ceremonies.Ceremony, services: Services): FormValues | null {
  const text = sealedForms(services).open(details.fields ?? '', session_id ?? '')
  return text === null ? null : Fields.parse(JSON.parse(text))
}

const Fields = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

/** Renders the page that sends the form again. With JavaScript, it is sent immediately. */
const continueForm = (to: string, fields: FormValues, csrf: string): View => ({
  title: 'Identity confirmed',
  main: html`<h1>Identity confirmed</h1><form class="sign-in" method="post" action="${to}" data-continue>
${tokenField({ csrf })}${hiddenFields(fields)}<button autofocus>Continue</button></form>`,
})

interface Told {
  connection: connections.Connection
  claims: oidc.IDToken
}

/** Signs in a user. `profile` is `null` if the subject is already known. */
async function signIn(
  tx: Db,
  from: SignInSource,
  { connection, claims, profile }: Told & { profile: Profile | null },
): Promise<void> {
  const email = profile && readVerifiedEmail(profile, connection)
  const name = typeof profile?.name === 'string' ? toStorableText(profile.name, 100) : ''
  const about = { requestId: from.requestId, network: getLoggedNetwork(from.ip) }
  const user = await joinByProvider(tx, connection, { subject: claims.sub, email, name }, about)
  await startSignedInSession(tx, from, user, { method: 'oidc', orgId: connection.org_id })
}

async function confirm(
  tx: Db,
  { ctx, ip, requestId }: SignInSource,
  { ceremony, connection, claims }: Told & { ceremony: ceremonies.Ceremony },
): Promise<{ csrf: string }> {
  const userId = await connections.findUserId(tx, connection.id, claims.sub)
  const fresh = z.number().safeParse(claims.auth_time).data ?? 0
  if (userId === null || userId !== ceremony.user_id || ceremony.session_id === null) {
    throw forbidden('You signed in at the identity provider with a different account.')
  }
  if (fresh < ceremony.created_at.getTime() / 1000 - skew) {
    throw forbidden('The identity provider did not request a new sign-in.')
  }
  // The provider of one organisation confirms nothing in another, to which the session can have been switched.
  if ((await sessions.lockOrganisation(tx, ceremony.session_id)) !== connection.org_id) {
    throw forbidden('You switched to a different organisation. Go back to the form and confirm again.')
  }
  const session = await stepUp(ctx, tx, { sessionId: ceremony.session_id })
  await audit.append(tx, {
    orgId: connection.org_id,
    actor: { kind: 'user', id: userId, name: toStorableText(String(claims.email ?? userId), 254) },
    action: 'session.confirmed',
    target: userId,
    requestId,
    network: getLoggedNetwork(ip),
    after: { method: 'oidc' },
  })
  return session
}
