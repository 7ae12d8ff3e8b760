import { formatAmount } from '#lib/amount.ts'
import { forbidden } from '#lib/errors.ts'
import type { KeyAi } from '#sql/account/keys.ts'
import * as limits from '#sql/ai/key-limits.ts'
import type { Db } from '#sql/db.ts'
import { actingKeyId, type Doer } from './doer.ts'

/** Returns the AI limits of a new key. Without a wish, a key copies the limits of the acting key. */
export async function readNewLimits(tx: Db, by: Doer, wanted: KeyAi | null | undefined): Promise<KeyAi | null> {
  if (wanted) return wanted
  const own = actingKeyId(by)
  const all = own === null ? [] : await limits.list(tx, own)
  return all.find(({ id }) => id === own)?.ai ?? null
}

/** Throws 403 unless all AI limits of the acting key also apply to the key. Otherwise its secret would have no limits. */
export async function demandAiLimits(tx: Db, by: Doer, id: string): Promise<void> {
  await listBinding(tx, by, id)
}

/** Throws 403 if the acting key would change AI limits that apply to itself, or to a key without its limits. */
export async function demandAiChange(tx: Db, by: Doer, id: string): Promise<void> {
  const binding = await listBinding(tx, by, id)
  if (binding.includes(id)) throw forbidden('A key cannot change AI limits that apply to itself.')
}

async function listBinding(tx: Db, by: Doer, id: string): Promise<readonly string[]> {
  const own = actingKeyId(by)
  const binding = own === null ? [] : (await limits.list(tx, own)).map((one) => one.id)
  if (binding.length === 0) return []
  const applied = new Set((await limits.list(tx, id)).map((one) => one.id))
  if (binding.every((one) => applied.has(one))) return binding
  throw forbidden('This key has AI limits, so it can only manage keys that it has created.')
}

/** Returns the limits with decimal amounts, for responses and the audit log. Missing limits are null. */
export function describeAiLimits(ai: KeyAi | null) {
  if (!ai) return null
  const { models = null, budget } = ai
  const amount = (billionths: number | undefined) => (billionths === undefined ? null : formatAmount(billionths))
  return {
    models,
    budget: budget ? { currency: budget.currency, monthly: amount(budget.monthly), daily: amount(budget.daily) } : null,
  }
}
