import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { readTelephoneNumber } from '#lib/telephone-number.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import type { Db } from '#sql/db.ts'
import * as calls from '#sql/voice/calls.ts'
import * as numbers from '#sql/voice/numbers.ts'
import * as rules from '#sql/voice/rules.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { dial } from '../dial.ts'

export interface SpokenCallRequest {
  orgId: string
  keyId: string | null
  to: string
  speech: calls.Speech
  metadata: Record<string, string>
}

export type SpokenCallRefusal =
  | 'not_configured'
  | 'no_caller_number'
  | 'number_refused'
  | 'country_not_allowed'
  | 'rate_limited'
  | 'budget_reached'

const [ringSeconds, mostSeconds] = [30, 90]

/**
 * Accepts a call to one telephone that hears a text, in the caller’s transaction. The rules of countries, concurrent
 * calls and budgets are the same as for calls between two telephones.
 */
export async function acceptSpokenCall(
  tx: Db,
  { orgId, keyId, to, speech, metadata }: SpokenCallRequest,
): Promise<{ callId: string } | { refused: SpokenCallRefusal }> {
  if (config.SIP_TRUNKS.length === 0) return { refused: 'not_configured' }
  const number = readTelephoneNumber(to)
  if (typeof number === 'string') return { refused: 'number_refused' }
  await calls.lockOrg(tx, orgId)
  const callerId = await findCallerNumber(tx, orgId)
  if (callerId === undefined) return { refused: 'no_caller_number' }
  const { org, key } = await rules.findRules(tx, orgId, keyId ?? orgId)
  const allowed = org?.countries ?? (config.VOICE_COUNTRIES.length > 0 ? config.VOICE_COUNTRIES : undefined)
  const isRefused = [allowed, key?.countries].some((countries) => countries && !countries.includes(number.country))
  if (isRefused) return { refused: 'country_not_allowed' }
  if (await isFull(tx, orgId, keyId, { org, key })) return { refused: 'rate_limited' }
  const id = newId()
  const reservation = { id, orgId, amount: mostSeconds, seconds: mostSeconds + 3_600 }
  if (!(await budgets.reserve(tx, 'voice.seconds', reservation))) return { refused: 'budget_reached' }
  const limits = { ring_timeout_seconds: ringSeconds, max_duration_seconds: mostSeconds }
  const call = { id, org_id: orgId, key_id: keyId, caller_id: callerId, ...limits, metadata, speech }
  await calls.insert(tx, call, { a: number.number })
  await enqueue(tx, dial, { callId: id }, { orgId })
  return { callId: id }
}

/** Returns the number that calls come from. Undefined if neither the organisation nor the installation has one. */
export const findCallerNumber = async (db: Db, orgId: string): Promise<string | undefined> =>
  (await numbers.findActive(db, orgId, undefined))?.number ?? config.SIP_SHARED_NUMBER

async function isFull(
  tx: Db,
  orgId: string,
  keyId: string | null,
  { org, key }: Awaited<ReturnType<typeof rules.findRules>>,
): Promise<boolean> {
  const used = await calls.usage(tx, orgId, keyId ?? orgId)
  const caps: [used: number, most: number | null | undefined][] = [
    [used.open, org?.max_concurrent ?? config.VOICE_MAX_CONCURRENT],
    [used.day, org?.max_per_day ?? config.VOICE_MAX_PER_DAY],
    [used.key_open, key?.max_concurrent],
    [used.key_day, key?.max_per_day],
  ]
  return caps.some(([count, most]) => typeof most === 'number' && count >= most)
}
