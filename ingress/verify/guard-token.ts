import { hashSecret } from '#lib/tokens.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as tokens from '#sql/guard/tokens.ts'
import type { Settings } from '#sql/verify/settings.ts'
import { guardRefused } from './refusals.ts'

type Reason = 'missing' | 'unknown' | 'action_mismatch' | 'replayed' | 'expired'

const words: Record<Reason, string> = {
  missing: 'The settings require `guard_token`. Send the token from the form.',
  unknown: 'The Guard token does not exist.',
  action_mismatch: 'The Guard token is for a different action than `guard_action` of the settings.',
  replayed: 'The Guard token was already used.',
  expired: 'The Guard token has expired. Show the form again.',
}

const refuse = (reason: Reason) => guardRefused(words[reason], { reason })

/**
 * Uses a Guard token in the transaction of the start, so the token is spent if, and only if, the verification starts.
 * Returns false if there is no token and none is required.
 */
export async function spendGuardToken(
  tx: Db,
  { org, key }: Pick<Caller, 'org' | 'key'>,
  token: string | undefined,
  settings: Settings,
): Promise<boolean> {
  if (token === undefined) {
    if (settings.guard_required) throw refuse('missing')
    return false
  }
  const hash = hashSecret(token)
  const found = (await tokens.lockMany(tx, [hash])).get(hash)
  const isOwn = found?.org_id === org.id && (key.locks.site_id === undefined || key.locks.site_id === found.site_id)
  if (!found || !isOwn) throw refuse('unknown')
  if (found.action !== settings.guard_action) throw refuse('action_mismatch')
  if (found.spent) throw refuse('replayed')
  if (found.expired) throw refuse('expired')
  await tokens.markManyUsed(tx, [hash])
  return true
}
