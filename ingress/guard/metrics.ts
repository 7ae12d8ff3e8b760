import { cacheFor } from '#lib/cached-for.ts'
import { counter, watchedGauge } from '#lib/telemetry/metrics.ts'
import type { Db } from '#sql/db.ts'
import * as stock from '#sql/guard/stock.ts'

/** Number of created challenges. sha256 challenges usually mean that the stock was empty. */
export const issuedChallenges = counter(
  'millrace_guard_challenges_total',
  'Number of challenges issued, by algorithm and tier.',
  ['alg', 'tier'],
)

export const challengeAnswers = counter(
  'millrace_guard_answers_total',
  'Answers to challenges: solved, failed, or rejected because they were late, already used, or from a different client.',
  ['outcome'],
)

export const verifiedTokens = counter(
  'millrace_guard_tokens_total',
  'Number of tokens verified: valid, or the reason for the failure.',
  ['result'],
)

const stocked = watchedGauge(
  'millrace_guard_stock',
  'Puzzles in stock for the whole fleet. Every process reports the same value, so aggregate with max, not sum.',
  [],
)

const freshMs = 15_000

/** Exports the number of puzzles in stock. Returns a function that stops the export. */
export function observeStock(db: Db): () => void {
  const seen = cacheFor(() => stock.count(db), freshMs)
  return stocked.watch(async () => [{ labels: {}, value: await seen() }])
}
