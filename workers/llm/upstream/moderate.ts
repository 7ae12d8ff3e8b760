import { z } from 'zod'
import { byCategory, type Moderation } from '#tasks/ai/engine.ts'
import { estimateUsage } from '../token-usage.ts'
import { malformedError } from './faults.ts'

const ModerationResponse = z.object({
  model: z.string().optional(),
  results: z.array(
    z.object({
      flagged: z.boolean(),
      categories: z.record(z.string(), z.boolean().nullable()),
      category_scores: z.record(z.string(), z.number().nullable()),
    }),
  ),
})

/** Parses a server's moderation. Categories that the server does not have count as not flagged. */
export function readModeration(raw: unknown, input: readonly string[]): Omit<Moderation, 'engine'> {
  const parsed = ModerationResponse.safeParse(raw)
  if (!parsed.success || parsed.data.results.length !== input.length) throw malformedError()
  const { model = 'moderations', results } = parsed.data
  return {
    model,
    results: results.map(({ flagged, categories, category_scores }) => ({
      flagged,
      categories: byCategory((category) => categories[category] ?? false),
      category_scores: byCategory((category) => Math.min(1, Math.max(0, category_scores[category] ?? 0))),
    })),
    usage: estimateUsage(input, ''),
  }
}
