import { z } from 'zod'
import { getLoggedNetwork } from '#lib/network/network.ts'
import * as audit from '#sql/account/audit.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as connections from '#sql/account/people/connections.ts'
import * as passkeys from '#sql/account/people/passkeys.ts'
import { redirectTo } from '../http/dashboard/admit.ts'
import { clearCeremony, getCeremony } from '../http/dashboard/cookies.ts'
import { shared } from '../http/dashboard/page.ts'
import { findMember, isSteppedUp, stepUp, stepUpMinutes } from '../http/dashboard/session.ts'
import { html, queryString } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { safeReturnPath, sendBare } from './bare.ts'
import { readMemberForm } from './form.ts'
import { passkeyForm, passkeyScripts } from './passkey-form.ts'
import { sendOptions } from './passkey-sign-in.ts'
import { beginAuthentication, ResponseField, verifyAuthentication } from './passkeys.ts'
import { ReturnPath } from './sign-in.ts'

export const form = route({
  ...shared,
  method: 'GET',
  path: '/step-up',
  summary: 'Confirm your identity',
  query: z.object({ to: ReturnPath }),
  async handle({ ctx, db, query: { to } }) {
    const member = await findMember(ctx, db)
    if (!member) return redirectTo(ctx, `/app/sign-in${queryString({ to })}`)
    if (isSteppedUp(member)) return redirectTo(ctx, safeReturnPath(to))
    const own = await passkeys.list(db, member.userId)
    const provider = await connections.findOfUser(db, member.orgId, member.userId)
    const main = html`<h1>Confirm your identity</h1>
<p>The next action requires that you confirm your identity. A confirmation is valid for ${stepUpMinutes} minutes.</p>
${
  own.length > 0 &&
  passkeyForm({ way: 'step-up', action: '/app/step-up', button: 'Confirm with a passkey', to, token: member.csrf })
}
${
  provider &&
  html`<form class="sign-in" method="post" action="/app/step-up/provider">
<input type="hidden" name="token" value="${member.csrf}">
${to !== undefined && html`<input type="hidden" name="to" value="${to}">`}
<button>Confirm with your identity provider</button>
</form>`
}
${
  own.length === 0 &&
  !provider &&
  html`<p>You have no passkey. You cannot confirm your identity by email. <a href="/app/you">Create a passkey</a> first.</p>`
}
<p><a href="/app">Cancel</a></p>`
    sendBare(ctx, { title: 'Confirm your identity', main }, passkeyScripts())
  },
})

export const challenge = route({
  ...shared,
  method: 'POST',
  path: '/passkeys/step-up',
  summary: 'Start a passkey confirmation',
  limit: { perMinute: 30, by: 'ip' },
  async handle(call) {
    const { member } = await readMemberForm(call, {})
    sendOptions(call.ctx, await beginAuthentication(call.db, call.origin, member))
  },
})

export const answer = route({
  ...shared,
  method: 'POST',
  path: '/step-up',
  summary: 'Confirm with a passkey',
  limit: { perMinute: 30, by: 'ip' },
  async handle(call) {
    const { ctx, db, origin, ip, requestId } = call
    const { member, form } = await readMemberForm(call, { response: ResponseField, to: ReturnPath })
    const secret = getCeremony(ctx, 'passkey')
    const ceremony = secret ? await ceremonies.take(db, 'step_up', secret) : null
    clearCeremony(ctx, 'passkey')
    const confirmed = await db.transaction(async (tx) => {
      const own = ceremony?.session_id === member.sessionId ? ceremony : null
      const passkey = own?.challenge ? await verifyAuthentication(tx, origin, own.challenge, form.response) : null
      const good = passkey?.user_id === member.userId
      if (good) await stepUp(ctx, tx, member)
      await audit.append(tx, {
        orgId: member.orgId,
        actor: { kind: 'user', id: member.userId, name: member.email },
        action: good ? 'session.confirmed' : 'session.refused',
        target: member.userId,
        requestId,
        network: getLoggedNetwork(ip),
        after: good ? { method: 'passkey' } : { method: 'passkey', reason: 'not confirmed' },
      })
      return good
    })
    if (!confirmed) await sessions.tell(db, member.sessionId, 'The confirmation failed. Try again.')
    redirectTo(ctx, confirmed ? safeReturnPath(form.to) : `/app/step-up${queryString({ to: form.to })}`)
  },
})
