import { conflict, notFound, Problem } from '#lib/errors.ts'
import * as audit from '#sql/account/audit.ts'
import * as closures from '#sql/account/closures.ts'
import * as now from '#sql/account/people/authority.ts'
import * as invitations from '#sql/account/people/invitations.ts'
import * as members from '#sql/account/people/members.ts'
import * as users from '#sql/account/people/users.ts'
import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { mailInvitation } from '../mail-invitation.ts'
import { demandOwner, readAuthority } from './authority.ts'
import { actingKeyId, actingUserId, type Doer, demandAssignable, toAct } from './doer.ts'
import { joinPath } from './join-url.ts'
import { recordJoin } from './record-join.ts'
import { canAssign } from './roles.ts'

/** Hours until an invitation by email expires, and until an invitation whose link an operator receives expires. */
const [mailedHours, givenHours] = [7 * 24, 24]

/** Maximum number of pending invitations, so that customers cannot send email to arbitrary people. */
const maxInvitations = 100

type Wanted = Pick<invitations.Invitation, 'email' | 'role'>

export async function invite(tx: Db, doer: Doer, wanted: Wanted): Promise<invitations.Invitation> {
  demandAssignable(doer, await readAuthority(tx, doer, 'members:write'), wanted.role)
  const { token: _, ...made } = await add(tx, doer, wanted, mailedHours)
  await enqueue(tx, mailInvitation, { invitationId: made.id }, { orgId: doer.orgId })
  return made
}

export async function inviteByLink(tx: Db, doer: Doer, wanted: Wanted): Promise<{ path: string; expiresAt: Date }> {
  await members.lock(tx, doer.orgId)
  const [waiting] = (await invitations.listPending(tx, doer.orgId, { limit: 1_000, before: undefined })).filter(
    ({ email }) => email === wanted.email,
  )
  if (waiting) await invitations.revoke(tx, doer.orgId, waiting.id)
  const { token, expires_at } = await add(tx, doer, wanted, givenHours)
  return { path: joinPath(token), expiresAt: expires_at }
}

async function add(tx: Db, doer: Doer, { email, role }: Wanted, hours: number) {
  const { orgId } = doer
  if (await members.hasEmail(tx, orgId, email)) throw conflict(`${email} is already a member.`, 'already_member')
  if ((await invitations.countPending(tx, orgId)) >= maxInvitations) {
    throw conflict(
      `The organisation has ${maxInvitations} pending invitations. Withdraw some first.`,
      'invitation_limit',
    )
  }
  const made = await invitations.insert(tx, {
    org_id: orgId,
    email,
    role,
    invited_by: actingUserId(doer),
    made_by_key: actingKeyId(doer),
    hours,
  })
  if (!made) throw conflict(`${email} already has an invitation. Send that invitation again.`, 'already_invited')
  await audit.append(tx, { ...toAct(doer), action: 'invitation.created', target: made.id, after: { email, role } })
  return made
}

export async function resend(tx: Db, doer: Doer, id: string): Promise<invitations.Invitation> {
  const { email, role } = await locked(tx, doer, id)
  const reopened = await invitations.reopen(tx, id, mailedHours)
  await enqueue(tx, mailInvitation, { invitationId: id }, { orgId: doer.orgId })
  await audit.append(tx, { ...toAct(doer), action: 'invitation.resent', target: id, after: { email, role } })
  return reopened
}

export async function withdraw(tx: Db, doer: Doer, id: string): Promise<void> {
  const { email, role } = await locked(tx, doer, id)
  await invitations.revoke(tx, doer.orgId, id)
  await audit.append(tx, { ...toAct(doer), action: 'invitation.withdrawn', target: id, before: { email, role } })
}

async function locked(tx: Db, doer: Doer, id: string): Promise<invitations.Invitation> {
  const authority = await readAuthority(tx, doer, 'members:write')
  const invitation = await invitations.lock(tx, doer.orgId, id)
  if (!invitation) throw notFound('invitation')
  demandAssignable(doer, authority, invitation.role)
  return invitation
}

export async function confirmInvitation(tx: Db, doer: Doer, id: string): Promise<void> {
  const words = 'Only an owner can confirm invitations that a key created, in the dashboard.'
  const userId = await demandOwner(tx, doer, 'owners', words)
  const { made_by_key, email, role } = await locked(tx, doer, id)
  if (made_by_key === null) return
  await invitations.confirm(tx, id, userId)
  const told = { before: { made_by_key }, after: { email, role } }
  await audit.append(tx, { ...toAct(doer), action: 'invitation.confirmed', target: id, ...told })
}

export type AcceptingPerson = { userId: string } | { name: string }

/**
 * Accepts the invitation of a link. Throws 404 for an expired link and 403 `organisation_closed`. Throws 409
 * `sign_in_first` if the email address belongs to a user who is not signed in, because a link does not sign in existing
 * users.
 */
export async function accept(
  tx: Db,
  token: string,
  accepting: AcceptingPerson,
  about: Pick<audit.Act, 'requestId' | 'network'>,
): Promise<{ user: users.User; invitation: invitations.Invitation }> {
  const invitation = await invitations.findByToken(tx, token)
  if (!invitation) throw notFound('invitation')
  const { id, org_id: orgId, email, role, invited_by } = invitation
  await members.lock(tx, orgId)
  if (await closures.isClosing(tx, orgId)) throw new Problem(403, 'organisation_closed', 'The organisation is closed.')
  if (!(await isBacked(tx, invitation)) || !(await invitations.accept(tx, id))) throw notFound('pending invitation')
  const user = await userFor(tx, invitation, accepting)
  if (!(await members.insert(tx, { org_id: orgId, user_id: user.id, role, invited_by }))) {
    throw conflict('You are already a member.', 'already_member')
  }
  await recordJoin(tx, orgId, user, role, about, { email })
  return { user, invitation }
}

/**
 * True if the inviter could still invite: the key is active, or the member can grant the role. Operators can always
 * invite.
 */
async function isBacked(tx: Db, { org_id, role, invited_by, made_by_key }: invitations.Invitation): Promise<boolean> {
  if (made_by_key !== null) return (await now.shareKey(tx, org_id, made_by_key)) !== null
  if (invited_by === null) return true
  const inviter = await now.shareMember(tx, org_id, invited_by)
  return inviter !== null && canAssign(inviter, role)
}

async function userFor(
  tx: Db,
  { email, sent_at }: invitations.Invitation,
  accepting: AcceptingPerson,
): Promise<users.User> {
  if ('name' in accepting) {
    const made = await users.insert(tx, { email, name: accepting.name, verified: sent_at !== null })
    if (made) return made
    throw conflict(`Sign in as ${email} first, then open the link again.`, 'sign_in_first')
  }
  const user = await users.find(tx, accepting.userId)
  if (user?.email === email) return user
  throw conflict(`The invitation is for ${email}. Sign in with that address.`, 'sign_in_first')
}
