import type { Db } from '#sql/db.ts'
import * as installations from '#sql/push/installations.ts'
import type { PushResult } from '../engine.ts'
import type { PreparedPush } from './prepare.ts'

/** Result for a device that renewed its token during sending. The delivery goes to the new token immediately. */
const retried = { outcome: 'retry', reason: 'token_renewed', retryAfter: 0 } as const

/**
 * Returns the corrected results of a batch. If a token is invalid but the device no longer has it, the device is not
 * invalidated.
 */
export async function correctRenewedTokens(
  db: Db,
  sendable: readonly PreparedPush[],
  results: readonly PushResult[],
): Promise<readonly PushResult[]> {
  const dead = sendable.filter((_, at) => results[at]?.outcome === 'invalid_token')
  if (dead.length === 0) return results
  const devices = await installations.findMany(
    db,
    dead.map(({ delivery }) => delivery.installation_id),
  )
  const renewed = new Set(
    dead.filter(({ delivery, token }) => {
      const now = devices.get(delivery.installation_id)
      return now?.status === 'active' && now.token !== token
    }),
  )
  return results.map((result, at) => (renewed.has(sendable[at] as PreparedPush) ? { ...result, ...retried } : result))
}
