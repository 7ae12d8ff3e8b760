import * as audit from '#sql/account/audit.ts'
import type { Role } from '#sql/account/people/members.ts'
import type { User } from '#sql/account/people/users.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Sends the webhook of a new member, and records the change in the audit log. `more` is added to the record. */
export async function recordJoin(
  tx: Db,
  orgId: string,
  { id, email }: Pick<User, 'id' | 'email'>,
  role: Role,
  about: Pick<audit.Act, 'requestId' | 'network'>,
  after: { email: string; issuer?: string },
): Promise<void> {
  await emit(tx, orgId, 'account.member.added', { id, role })
  await audit.append(tx, {
    ...about,
    orgId,
    actor: { kind: 'user', id, name: email },
    action: 'member.joined',
    target: id,
    after: { email: after.email, role, ...(after.issuer !== undefined && { issuer: after.issuer }) },
  })
}
