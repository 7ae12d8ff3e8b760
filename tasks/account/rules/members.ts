import { conflict, notFound } from '#lib/errors.ts'
import * as audit from '#sql/account/audit.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as invitations from '#sql/account/people/invitations.ts'
import * as members from '#sql/account/people/members.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { readAuthority } from './authority.ts'
import { type Authority, type Doer, demandAssignable, toAct } from './doer.ts'
import { canAssign } from './roles.ts'

export async function changeRole(tx: Db, doer: Doer, userId: string, role: members.Role): Promise<members.Member> {
  const { authority, member } = await locked(tx, doer, userId)
  demandAssignable(doer, authority, member.role, role)
  if (member.role === role) return member
  await demandOwnerLeft(tx, doer.orgId, member)
  await members.setRole(tx, doer.orgId, userId, role)
  await sessions.endMember(tx, doer.orgId, userId)
  await emit(tx, doer.orgId, 'account.member.changed', { id: userId, role, previous_role: member.role })
  await audit.append(tx, {
    ...toAct(doer),
    action: 'member.role_changed',
    target: userId,
    before: { email: member.email, role: member.role },
    after: { email: member.email, role },
  })
  await withdrawBy(
    tx,
    doer,
    userId,
    members.Role.options.filter((one) => canAssign(role, one)),
  )
  return { ...member, role, seen_at: null }
}

/**
 * Removes a member with their sessions and invitations. Members can always remove themselves. Throws 403, 404, and 409
 * `last_owner`.
 */
export async function removeMember(tx: Db, doer: Doer, userId: string): Promise<void> {
  const { authority, member } = await locked(tx, doer, userId)
  if (doer.actor.kind !== 'user' || doer.actor.id !== userId) demandAssignable(doer, authority, member.role)
  await demandOwnerLeft(tx, doer.orgId, member)
  await members.remove(tx, doer.orgId, userId)
  await emit(tx, doer.orgId, 'account.member.removed', { id: userId, role: member.role })
  await audit.append(tx, {
    ...toAct(doer),
    action: 'member.removed',
    target: userId,
    before: { email: member.email, role: member.role },
  })
  await withdrawBy(tx, doer, userId, [])
}

/** Ends the member’s invitations that the member could no longer send. */
async function withdrawBy(tx: Db, doer: Doer, userId: string, kept: readonly members.Role[]): Promise<void> {
  for (const { id, email, role } of await invitations.revokeBy(tx, doer.orgId, userId, kept)) {
    await audit.append(tx, { ...toAct(doer), action: 'invitation.withdrawn', target: id, before: { email, role } })
  }
}

/** Returns the member and the actor's permissions, locked against other changes of members. */
async function locked(tx: Db, doer: Doer, userId: string): Promise<{ authority: Authority; member: members.Member }> {
  const authority = await readAuthority(tx, doer)
  const member = await members.find(tx, doer.orgId, userId)
  if (!member) throw notFound('member')
  return { authority, member }
}

async function demandOwnerLeft(tx: Db, orgId: string, { role, disabled_at }: members.Member): Promise<void> {
  if (role !== 'owner' || disabled_at !== null || (await members.countOwners(tx, orgId)) > 1) return
  throw conflict('This is the last owner. Add another owner first.', 'last_owner')
}
