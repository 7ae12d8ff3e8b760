import { loggedNetwork } from '#lib/network.ts'
import type { Act } from '#sql/account/audit.ts'
import type { Caller } from '#sql/account/keys.ts'
import { grantorOf } from '#tasks/account/rules/grant.ts'
import type { By } from '#tasks/account/rules/keys.ts'

/** What of a call says who acts. */
export type Acting = Pick<Caller, 'org' | 'key'> & { requestId: string; ip: string }

/** What the audit log tells of a key that acts. */
export const actOfKey = ({ org, key, requestId, ip }: Acting) =>
  ({
    orgId: org.id,
    actor: { kind: 'key', id: key.id, name: key.name },
    requestId,
    network: loggedNetwork(ip),
  }) as const satisfies Partial<Act>

/** A key as who acts on keys: with what it holds. */
export const byKey = (call: Acting): By => ({ ...actOfKey(call), grantor: grantorOf(call.key) })
