import { forbidden } from '#lib/errors.ts'
import type { Act } from '#sql/account/audit.ts'
import type { Role } from '#sql/account/members.ts'
import { mayAssign } from './roles.ts'

/** Who changes an organisation's people: a member by their role, a key as an admin does, so that no key makes owners. */
export interface Doer extends Pick<Act, 'orgId' | 'actor' | 'requestId' | 'network'> {
  role: Role
}

/** What the audit log says of who does it. */
export const actOf = ({ orgId, actor, requestId, network }: Doer) => ({ orgId, actor, requestId, network })

/** The user who does it, for rows that name them. */
export const userOf = ({ actor }: Doer): string | null => (actor.kind === 'user' ? actor.id : null)

/** Throws 403 unless somebody may give, or take, all these roles. */
export function demandAssignable(doer: Doer, ...roles: readonly Role[]): void {
  if (roles.every((role) => mayAssign(doer.role, role))) return
  throw forbidden(
    doer.actor.kind === 'key'
      ? 'Owners are made and changed by an owner in the dashboard, by no key.'
      : 'Your role does not let you do this: members are changed by owners and admins, owners by owners alone.',
  )
}
