import { z } from 'zod'
import { badRequest, Problem } from '#lib/errors.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as invitations from '#sql/account/people/invitations.ts'
import * as users from '#sql/account/people/users.ts'
import { accept } from '#tasks/account/rules/invitations.ts'
import { redirectTo } from '../http/dashboard/admit.ts'
import { listSignInOrganisations } from '../http/dashboard/organisations.ts'
import { shared } from '../http/dashboard/page.ts'
import { endSession, findMember, switchOrganisation } from '../http/dashboard/session.ts'
import { html, queryString } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { sendBare } from './bare.ts'
import { startSignedInSession } from './enter.ts'
import { readForm } from './form.ts'

const Token = z.string().max(100)

export const open = route({
  ...shared,
  method: 'GET',
  path: '/join/{token}',
  summary: 'Open an invitation',
  params: z.object({ token: Token }),
  limit: { perMinute: 60, by: 'ip' },
  async handle({ ctx, db, params: { token } }) {
    const invitation = await invitations.findByToken(db, token)
    if (!invitation || invitation.revoked_at || (invitation.expires_at <= new Date() && !invitation.accepted_at)) {
      const main = html`<h1>This invitation has expired</h1>
<p role="alert">The invitation was withdrawn or replaced, or it has expired. Ask the person who invited you to send it again.</p>`
      return sendBare(ctx, { title: 'Invitation', main, status: 404 })
    }
    const { email, org_name, role, accepted_at } = invitation
    if (accepted_at) {
      const main = html`<h1>${org_name}</h1><p>This invitation is accepted. Sign in as ${email}.</p>
<p><a class="button" href="/app/sign-in">Sign in</a></p>`
      return sendBare(ctx, { title: 'Invitation', main })
    }
    const member = await findMember(ctx, db)
    const known = await users.findByEmail(db, email)
    const to = `/app/join/${token}`
    const main = html`<h1>${org_name} invites you</h1>
<p>Your role: ${role}. Your email: ${email}.</p>
${
  known && known.id !== member?.userId
    ? html`<p>${email} already has an account. Sign in first. After that, you return to this page.</p>
<p><a class="button" href="/app/sign-in${queryString({ to })}">Sign in as ${email}</a></p>`
    : html`<form class="sign-in" method="post" action="${to}">
${
  known
    ? html`<input type="hidden" name="token" value="${member?.csrf}">`
    : html`<label for="name">Your name</label>
<input id="name" name="name" required maxlength="100" autocomplete="name" autofocus>`
}
<button>Join ${org_name}</button>
</form>`
}`
    sendBare(ctx, { title: `Join ${org_name}`, main })
  },
})

const JoinForm = z.object({ name: z.string().trim().max(100).default(''), token: z.string().max(200).optional() })

/**
 * A new user must enter a name, so email scanners cannot accept an invitation. Starts a session, unless the
 * organisation requires its identity provider.
 */
export const join = route({
  ...shared,
  method: 'POST',
  path: '/join/{token}',
  summary: 'Accept an invitation',
  params: z.object({ token: Token }),
  limit: { perMinute: 20, by: 'ip' },
  async handle({ ctx, db, origin, ip, requestId, params }) {
    const { name, token } = await readForm(ctx, origin, JoinForm)
    const found = await invitations.findByToken(db, params.token)
    const known = found && (await users.findByEmail(db, found.email))
    const member = known ? await findMember(ctx, db) : null
    if (known && (member?.userId !== known.id || member.csrf !== token)) {
      throw new Problem(409, 'conflict', `Sign in as ${known.email} first, then open the link again.`)
    }
    if (!known && name === '') throw badRequest([{ field: 'form.name', issue: 'is required' }])
    const about = { requestId, network: getLoggedNetwork(ip) }
    const entered = await db.transaction(async (tx) => {
      const { user, invitation } = await accept(tx, params.token, member ? { userId: member.userId } : { name }, about)
      if (member?.method === 'oidc') return true
      if (!(await listSignInOrganisations(tx, user.id)).some(({ org_id }) => org_id === invitation.org_id)) {
        if (member) await endSession(ctx, tx, member)
        return false
      }
      if (member) await switchOrganisation(ctx, tx, member, invitation.org_id)
      else
        await startSignedInSession(tx, { ctx, ip, requestId }, user, { method: 'invitation', orgId: invitation.org_id })
      return true
    })
    if (!entered) {
      const main = html`<h1>You have joined ${found?.org_name}</h1>
<p>Members of this organisation sign in with its identity provider.</p><p><a class="button" href="/app/sign-in">Sign in</a></p>`
      return sendBare(ctx, { title: 'Sign in', main })
    }
    if (member) {
      await sessions.tell(db, member.sessionId, `You have joined ${found?.org_name}.`)
      return redirectTo(ctx, '/app')
    }
    redirectTo(ctx, '/app/you')
  },
})
