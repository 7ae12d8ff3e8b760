import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import { type FeedFacts, lookUp, type Source } from '#sql/trust/entries.ts'
import { hrefOf } from '#sql/trust/safe-browsing/canonical-url.ts'
import { prefixOf } from '#sql/trust/safe-browsing/expressions.ts'
import type { Questions } from '../http/questions.ts'
import { oddities } from './heuristics.ts'
import type { KnownNow } from './known/known.ts'
import { expressionsOfAll, type Readings } from './read-url.ts'
import { present, SourceView } from './sources.ts'

/** What can be said of a URL, the worst last: that it is safe can never be. */
export const verdicts = ['unknown', 'suspicious', 'malicious'] as const

/** What is said of one URL. */
export const Judgement = z.object({
  url: z.string().describe('The URL in the canonical form of Safe Browsing'),
  verdict: z.enum(verdicts).describe('`malicious`: listed by a feed that is fresh; `unknown` is not `safe`'),
  categories: z.array(z.string()),
  reasons: z.array(z.object({ code: z.string(), detail: z.string() })).describe('Why it is suspicious'),
  sources: z.array(SourceView),
  disagreement: z
    .object({ listed_by: z.array(z.string()), not_listed_by: z.array(z.string()) })
    .nullable()
    .describe('Where some sources list it and others, fresh as well, do not'),
  degraded: z.boolean().describe('A source is stale or could not say; or there is none'),
})

/** What is said of one URL. */
export type Judgement = z.input<typeof Judgement>

/** What a URL is judged with. */
export interface JudgeTools {
  db: DatabasePool
  questions: Questions
}

/** Judges one URL by what feeds list and by what is odd about it. */
export async function judge(
  { db, questions }: JudgeTools,
  readings: Readings,
  known: KnownNow | undefined,
): Promise<Judgement> {
  const sources = await present(db, questions, await sourcesOf(db, readings, known))
  const listedBy = sources.filter(({ listed }) => listed)
  const fresh = listedBy.filter(({ stale }) => !stale)
  const others = sources.filter(({ listed, stale }) => listed === false && !stale)
  const reasons = oddities(readings)
  for (const { name } of fresh.length > 0 ? [] : listedBy) {
    reasons.push({ code: 'listed_by_stale_feed', detail: `${name} listed it when it was last fetched.` })
  }
  const names = (of: readonly SourceView[]) => of.map(({ name }) => name)
  return {
    url: hrefOf(readings.canonical),
    verdict: fresh.length > 0 ? 'malicious' : reasons.length > 0 ? 'suspicious' : 'unknown',
    categories: [...new Set(listedBy.flatMap(({ categories }) => categories))].sort(),
    reasons,
    sources,
    disagreement:
      listedBy.length > 0 && others.length > 0 ? { listed_by: names(listedBy), not_listed_by: names(others) } : null,
    degraded: sources.length === 0 || sources.some(({ listed, stale }) => stale || listed === null),
  }
}

/** All feeds with what they list of a URL; from memory where that knows that they list nothing of it. */
async function sourcesOf(
  db: DatabasePool,
  readings: Readings,
  known: KnownNow | undefined,
): Promise<readonly Source[]> {
  const expressions = expressionsOfAll(readings)
  const unlisted = known?.unlisted(expressions.map(({ hash }) => prefixOf(hash)))
  return unlisted?.map(withoutMatch) ?? (await lookUp(db, expressions))
}

const withoutMatch = (feed: FeedFacts): Source => ({ ...feed, matches: [] })
