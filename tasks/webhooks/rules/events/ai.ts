import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind } from './kind.ts'

const amount = z.string().describe('Decimal with up to 9 places')

export const ai = {
  'ai.budget.threshold': kind(
    'An API key has used a share of its AI budget.',
    z.strictObject({
      key_id: Id,
      key_name: z.string(),
      period: z.string().describe('Day or month of the budget'),
      currency: z.string(),
      used: amount,
      budget: amount,
      percent: z.number().describe('Threshold in percent that was reached: 80 or 100'),
    }),
    {
      key_id: createSampleId(60),
      key_name: 'shop server',
      period: '2026-01',
      currency: 'USD',
      used: '8.0125',
      budget: '10',
      percent: 80,
    },
  ),
}
