import type { Act } from '#sql/account/audit.ts'
import type { Doer } from '#tasks/account/rules/doer.ts'
import { type Member, networkFrom } from './session.ts'

/** A request that a member makes. */
interface Request {
  ip: string
  requestId: string
}

/** What the audit log says of who acts, and from where; rules in tasks/account take it with the member's role. */
export const actFrom = (
  { ip, requestId }: Request,
  { userId, email, orgId }: Member,
): Pick<Act, 'orgId' | 'actor' | 'requestId' | 'network'> => ({
  orgId,
  actor: { kind: 'user', id: userId, name: email },
  requestId,
  network: networkFrom(ip),
})

/** A member as the rules for an organisation's people take who acts. */
export const doerFrom = (request: Request, member: Member): Doer => ({ ...actFrom(request, member), role: member.role })
