import { formatAmount } from '#lib/amount.ts'
import { defaultModel } from '#lib/config/ai-upstreams.ts'
import { Problem, unauthorized } from '#lib/errors.ts'
import * as limits from '#sql/ai/key-limits.ts'
import * as prices from '#sql/ai/prices.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import type { Db } from '#sql/db.ts'
import type { LanguageOperation } from './charged.ts'
import { findRefusal, type ReachedKeyBudget } from './key-use.ts'

/**
 * Throws 403 or 429 if the limits of a key, or of a key that created it, do not allow a request now. `asked` is the
 * requested model.
 */
export async function requireKeyUse(
  db: Db,
  keyId: string,
  operation: LanguageOperation,
  asked: string = defaultModel,
): Promise<void> {
  const all = await limits.list(db, keyId)
  if (all.length === 0) return
  const models = all.some(({ ai }) => ai.budget) ? await listRealNames(db, operation, asked) : []
  const refusal = await findRefusal(db, all, { asked, operation, models, prices: await prices.listCurrent(db, models) })
  // A request that only has to wait for others is accepted. The worker decides again.
  if (refusal?.code === 'key_budget_exceeded') throw keyProblem(refusal.code, refusal.reached)
  if (refusal && refusal.code !== 'wait') throw keyProblem(refusal.code)
}

/** Returns the names on the upstream servers. Empty for operations whose model only the worker knows. */
async function listRealNames(db: Db, operation: LanguageOperation, asked: string): Promise<string[]> {
  const known = await upstreams.list(db)
  const found = known.flatMap(({ models, embedding_models, rerank_models }) => {
    const ofOperation = { embedding: embedding_models, rerank: rerank_models, transcription: [], moderate: [] }
    const all = ofOperation[operation as keyof typeof ofOperation] ?? models
    return (asked === defaultModel ? all[0] : all.find((one) => one.asked === asked)) ?? []
  })
  return [...new Set(found.map(({ real }) => real))]
}

export const keyProblemCodes = [
  'key_budget_exceeded',
  'model_not_allowed',
  'model_without_price',
  'key_revoked',
] as const

export type KeyProblemCode = (typeof keyProblemCodes)[number]

export const isKeyProblem = (code: string): code is KeyProblemCode => keyProblemCodes.some((one) => one === code)

/** Returns the error of a refused request. `retryAfter` is in seconds, if `reached` is not known. */
export function keyProblem(code: KeyProblemCode, reached?: ReachedKeyBudget, retryAfter?: number): Problem {
  switch (code) {
    case 'key_revoked':
      return unauthorized('The API key was revoked.')
    case 'model_not_allowed':
      return new Problem(403, code, 'This API key cannot use this model. `GET /v1/ai/models` lists its models.', {
        details: { param: 'model' },
      })
    case 'model_without_price':
      return new Problem(403, code, 'The model has no price in the currency of the key’s budget. Use another model.', {
        details: { param: 'model' },
      })
    case 'key_budget_exceeded':
      return budgetProblem(reached, retryAfter)
  }
}

function budgetProblem(reached: ReachedKeyBudget | undefined, retryAfter = 60): Problem {
  const code = 'key_budget_exceeded'
  if (!reached) return new Problem(429, code, 'The AI budget of this API key has been used up.', { retryAfter })
  const { period, currency, resetsAt } = reached
  const [limit, used] = [formatAmount(reached.limit), formatAmount(reached.used)]
  return new Problem(429, code, `This API key has used ${used} of ${limit} ${currency} this ${period}.`, {
    details: { period, currency, limit, used, resets_at: resetsAt.toISOString() },
    retryAfter: Math.max(1, Math.ceil((resetsAt.getTime() - Date.now()) / 1000)),
  })
}
