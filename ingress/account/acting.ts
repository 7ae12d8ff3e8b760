import { isIP } from 'node:net'
import { networkOf } from '#lib/network.ts'
import type { Caller } from '#sql/account/keys.ts'
import { grantorOf } from '#tasks/account/rules/grant.ts'
import type { By } from '#tasks/account/rules/keys.ts'

/** A key as who acts: what it holds, and what the audit log tells of it. */
export function byKey({
  org,
  key,
  requestId,
  ip,
}: Pick<Caller, 'org' | 'key'> & { requestId: string; ip: string }): By {
  const family = isIP(ip)
  return {
    orgId: org.id,
    grantor: grantorOf(key),
    actor: { kind: 'key', id: key.id, name: key.name },
    requestId,
    network: family === 0 ? undefined : networkOf(ip, family === 4 ? 24 : 48),
  }
}
