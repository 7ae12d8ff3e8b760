import { z } from 'zod'
import { formatAmount } from '#lib/amount.ts'
import type { CostSum } from '#sql/ai/costs.ts'

export const costFields = {
  currency: z.string().nullable().describe('Currency of the cost. `null` if the models had no price.'),
  cost: z
    .string()
    .nullable()
    .describe('Exact cost as a decimal with up to 9 places. `null` if the models had no price: the cost is unknown.'),
  requests: z.int(),
  cached: z.int().describe('Requests whose response came from the cache of Millrace. They cost nothing.'),
  prompt_tokens: z.int(),
  cached_tokens: z.int().describe('Input tokens that the upstream server had cached. Part of `prompt_tokens`.'),
  completion_tokens: z.int(),
}

/** True if tokens were used whose price is not known. */
export const isUnpriced = ({ cost, prompt_tokens, completion_tokens }: CostSum): boolean =>
  cost === null && prompt_tokens + completion_tokens > 0

export const presentCost = ({ name: _, ...sum }: CostSum) => ({
  ...sum,
  cost: isUnpriced(sum as CostSum) ? null : formatAmount(sum.cost ?? 0),
})
