import { addJitter, getBackOffDelay } from '#lib/retry.ts'
import type { Db } from '#sql/db.ts'
import * as acme from '#sql/video/acme.ts'
import * as certificates from '#sql/video/certificates.ts'
import type { AuthorityFault, FaultKind } from './certificate-authority.ts'

const minute = 60_000
const hour = 60 * minute

/**
 * Delay before the next attempt (doubled each time, up to `most`). `spare`: time for which the authority is not called
 * even if the owner requests it. Let’s Encrypt allows five failed validations per name and hour.
 */
const pauses: Record<FaultKind, { first: number; most: number; spare: number }> = {
  away: { first: minute, most: hour, spare: minute / 2 },
  unpointed: { first: 2 * minute, most: hour, spare: 0 },
  refused: { first: 15 * minute, most: 24 * hour, spare: 12 * minute },
  limited: { first: hour, most: 24 * hour, spare: hour },
  stranger: { first: minute, most: hour, spare: minute / 2 },
  lost: { first: minute, most: hour, spare: minute / 2 },
}

/** Returns when an order is tried again, in milliseconds from now, and whether it must start again. */
export function getRetry(fault: AuthorityFault, failures: number) {
  const { first, most, spare } = pauses[fault.kind]
  const wanted = fault.retryMs ?? 0
  return {
    dueMs: Math.max(addJitter(getBackOffDelay({ first, factor: 2, most }, failures), 0.1), wanted),
    askMs: Math.max(spare, wanted),
    isOrderLost: fault.kind === 'refused' || fault.kind === 'stranger' || fault.kind === 'lost',
  }
}

export async function scheduleRetry(
  tx: Db,
  { domain_id, failures }: Pick<certificates.Work, 'domain_id' | 'failures'>,
  fault: AuthorityFault,
  directoryUrl: string,
): Promise<void> {
  const { dueMs, askMs, isOrderLost } = getRetry(fault, failures)
  if (isOrderLost) {
    await certificates.deleteOrder(tx, domain_id)
    await acme.removeChallenges(tx, domain_id)
  }
  if (fault.kind === 'stranger') await forgetAccount(tx, directoryUrl)
  const retry = { state: 'failed' as const, reason: fault.message, dueMs, askMs, failures: failures + 1 }
  await certificates.scheduleRetry(tx, domain_id, retry)
}

/** Deletes the account's URL, so that it is registered again with the same key. */
export async function forgetAccount(tx: Db, directoryUrl: string): Promise<void> {
  const account = await acme.findAccount(tx, directoryUrl)
  if (account) await acme.setAccount(tx, directoryUrl, { ...account, url: null })
}
