import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import type { Channel } from '#sql/verify/verifications.ts'
import { findMissing } from '../../account/rules/scopes.ts'

/**
 * Returns the domains from which the key of a verification can send, or the reason why the key can no longer send. The
 * key may have been revoked or locked since the request.
 */
export async function findAuthority(
  db: Db,
  orgId: string,
  keyId: string | null,
  channel: Channel,
): Promise<{ fromDomains: readonly string[] | undefined } | { refused: string }> {
  if (keyId === null) return { fromDomains: undefined }
  const key = await keys.findAny(db, keyId)
  const isExpired = key?.expires_at != null && key.expires_at.getTime() <= Date.now()
  if (key?.org_id !== orgId || key.revoked_at !== null || isExpired) return { refused: 'key_revoked' }
  // The key of the dashboard has the permissions of each member.
  const isManaged = (await keys.find(db, orgId, keyId)) !== null
  if (isManaged && findMissing(key.scopes, 'verify:write').length > 0) return { refused: 'key_revoked' }
  if (channel === 'voice' && key.locks.calls === false) return { refused: 'calls_locked' }
  return { fromDomains: key.locks.from_domains }
}
