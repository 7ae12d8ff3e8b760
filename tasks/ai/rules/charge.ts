import { newId } from '#lib/ids.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import * as charges from '#sql/ai/charges.ts'
import * as costs from '#sql/ai/costs.ts'
import * as limits from '#sql/ai/key-limits.ts'
import * as prices from '#sql/ai/prices.ts'
import * as usage from '#sql/ai/usage.ts'
import type { Db } from '#sql/db.ts'
import { costOf } from './cost-of.ts'
import type { EngineResult, TokenUsage } from './engine-result.ts'
import { findRefusal, type KeyRefusal, tellThresholds } from './key-use.ts'
import { estimateMostUsage, estimateSpentUsage } from './spend-estimate.ts'

export interface ChargedWork {
  orgId: string
  /** API key of the request. Undefined for work without a key. */
  keyId?: string | undefined
  operation: string
  /** Completion or run. Attempts at the same work have the same subject. */
  subject?: string | undefined
  /** Requested model, or `default`. */
  asked: string
  /** Names on the upstream servers. Empty without an upstream server. */
  models: readonly string[]
  request: object
}

/** A request in progress: its reservation, and the prices at its start. */
export interface Charge {
  id: string
  work: ChargedWork
  prices: ReadonlyMap<string, prices.Price>
}

/** Time in seconds after which an unsettled charge counts as lost. Longer than any request. */
const lostAfterSeconds = 900

/**
 * Starts a charge: reserves the maximum cost in the budgets of the organisation and the key. Charges earlier attempts
 * at the same work, whose worker is lost. Returns why the request is rejected instead.
 */
export async function startCharge(
  tx: Db,
  work: ChargedWork,
): Promise<{ charge: Charge } | { refusal: KeyRefusal | { code: 'token_budget_exceeded' } }> {
  const { orgId, keyId, models, request, subject } = work
  if (subject !== undefined) for (const earlier of await charges.takeEarlier(tx, subject)) await chargeLost(tx, earlier)
  const found = await prices.listCurrent(tx, models)
  const all = keyId === undefined ? [] : await limits.lock(tx, keyId)
  if (keyId !== undefined && (await limits.hasEnded(tx, keyId))) return { refusal: { code: 'key_revoked' } }
  const refusal = all.length > 0 ? await findRefusal(tx, all, { ...work, prices: found }) : null
  if (refusal) return { refusal }
  const id = newId()
  const most = estimateMostUsage(request)
  const about = { id, orgId, amount: most.total_tokens, seconds: lostAfterSeconds }
  if (!(await budgets.reserve(tx, 'ai.tokens', about))) return { refusal: { code: 'token_budget_exceeded' } }
  const charge = { id, work, prices: found }
  if (models.length > 0) await charges.insert(tx, toRow(charge, most), lostAfterSeconds)
  return { charge }
}

function toRow({ id, work, prices: found }: Charge, most: TokenUsage): charges.Charge {
  const { orgId, keyId = null, operation, subject = null, models, asked, request } = work
  const first = found.get(models[0] ?? '')
  return {
    ...{ id, org_id: orgId, key_id: keyId, operation, subject },
    model: models[0] ?? asked,
    currency: first?.currency ?? null,
    price_id: first?.id ?? null,
    reserved: Math.max(0, ...[...found.values()].map((price) => costOf(price, most))),
    prompt_tokens: estimateSpentUsage(request, 0).prompt_tokens,
  }
}

export interface ChargedResult {
  outcome: string
  engine: EngineResult['engine'] | 'none'
  /** Name on the upstream server. Undefined if no model has responded. */
  model?: string | undefined
  usage: TokenUsage
}

/**
 * Ends a charge and adds its usage and cost, at the prices at its start. If the charge was already charged as lost, its
 * cost is not added again.
 */
export async function endCharge(tx: Db, { id, work, prices: known }: Charge, result: ChargedResult): Promise<void> {
  const { orgId, keyId, models, operation } = work
  await budgets.release(tx, id)
  const { outcome, usage: used } = result
  const isCurrent = models.length === 0 || (await charges.remove(tx, id))
  const { prompt_tokens, completion_tokens, cached_tokens = 0 } = used
  if (!isCurrent) return
  await usage.add(tx, orgId, { operation, outcome, prompt_tokens, completion_tokens })
  const model = result.model ?? models[0] ?? work.asked
  // A server can respond with another name of its moderation model, but a known model has its own price or none.
  const price = known.get(models.includes(model) ? model : (models[0] ?? ''))
  // Models inside the workers cost nothing, unless the operator has set a price.
  const isOwn = result.engine === 'embedded' || operation === 'transcription'
  if (isOwn && !known.has(model)) return
  const isUnused = used.total_tokens === 0 && !used.audio_ms
  if (isUnused && result.engine !== 'upstream') return
  await costs.add(tx, {
    ...{ org_id: orgId, key_id: keyId ?? null, model, operation },
    ...{ prompt_tokens, completion_tokens, cached_tokens },
    currency: price?.currency ?? null,
    cost: price ? costOf(price, used) : null,
  })
  if (keyId !== undefined) await tellThresholds(tx, orgId, keyId)
}

interface LostEnding {
  outcome?: string
  /** Output that was already sent. */
  completion_tokens?: number
}

/** Charges an estimate for a request whose worker is lost: the upstream server may have processed the input. */
export async function chargeLost(tx: Db, lost: charges.Charge, ending: LostEnding = {}): Promise<void> {
  const { org_id, key_id, operation, model, prompt_tokens, price_id } = lost
  const { outcome = 'lost', completion_tokens = 0 } = ending
  await budgets.release(tx, lost.id)
  await usage.add(tx, org_id, { operation, outcome, prompt_tokens, completion_tokens })
  const price = price_id === null ? null : await prices.find(tx, price_id)
  await costs.add(tx, {
    ...{ org_id, key_id, model, operation, prompt_tokens, cached_tokens: 0, completion_tokens },
    currency: price?.currency ?? null,
    cost: price ? costOf(price, { prompt_tokens, completion_tokens }) : null,
  })
  if (key_id !== null) await tellThresholds(tx, org_id, key_id)
}
