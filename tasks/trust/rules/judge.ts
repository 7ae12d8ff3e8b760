import type { DatabasePool } from '#sql/db.ts'
import { type FeedFacts, findMatches, type Source } from '#sql/trust/entries.ts'
import { formatUrl } from '#sql/trust/safe-browsing/canonical-url.ts'
import { type Expression, getPrefix } from '#sql/trust/safe-browsing/expressions.ts'
import type { Verdict } from '#sql/trust/watches.ts'
import { findSuspiciousSigns, type Reason } from './heuristics.ts'
import { listAllExpressions, type Readings } from './read-url.ts'
import { type Confirm, confirmMatches, getFinding, type SourceFinding } from './sources.ts'
import { createYield } from './turns.ts'

export interface Judgement {
  /** In the canonical form of Safe Browsing. */
  url: string
  verdict: Verdict
  categories: string[]
  reasons: Reason[]
  sources: SourceFinding[]
  /** Set if some sources list the URL and other current sources do not. */
  disagreement: { listed_by: string[]; not_listed_by: string[] } | null
  /** True if a source is stale or could not be checked, or if no source exists. */
  degraded: boolean
}

export interface JudgeTools {
  db: DatabasePool
  confirm: Confirm
  unlisted?: ((prefixes: readonly number[]) => readonly FeedFacts[] | undefined) | undefined
}

/**
 * Checks URLs, in order, against feeds and for suspicious signs. Lets other work of the process run in between. URLs
 * that may be listed are looked up in one statement.
 */
export async function checkAll(
  { db, confirm, unlisted }: JudgeTools,
  asked: readonly Readings[],
): Promise<Judgement[]> {
  const turn = createYield()
  const expressions: Expression[][] = []
  for (const readings of asked) {
    expressions.push(listAllExpressions(readings))
    await turn()
  }
  const feeds = expressions.map((own) => unlisted?.(own.map(({ hash }) => getPrefix(hash))))
  const open = expressions.flatMap((own, i) => (feeds[i] ? [] : own))
  const found = open.length > 0 ? await findMatches(db, open) : []
  const sources = expressions.map((own, i) => feeds[i]?.map(withoutMatch) ?? matchesOf(found, own))
  const known = await confirmMatches(db, confirm, sources.flat())
  const judged: Judgement[] = []
  for (const [i, readings] of asked.entries()) {
    const findings = (sources[i] ?? []).map((source) => getFinding(source, known))
    judged.push(judgementOf(readings, findings))
    await turn()
  }
  return judged
}

function judgementOf(readings: Readings, sources: SourceFinding[]): Judgement {
  const listedBy = sources.filter(({ listed }) => listed)
  const fresh = listedBy.filter(({ stale }) => !stale)
  const others = sources.filter(({ listed, stale }) => listed === false && !stale)
  const reasons = findSuspiciousSigns(readings)
  for (const { name } of fresh.length > 0 ? [] : listedBy) {
    reasons.push({ code: 'listed_by_stale_feed', detail: `${name} listed the URL at its last import.` })
  }
  const names = (of: readonly SourceFinding[]) => of.map(({ name }) => name)
  return {
    url: formatUrl(readings.canonical),
    verdict: fresh.length > 0 ? 'malicious' : reasons.length > 0 ? 'suspicious' : 'unknown',
    categories: [...new Set(listedBy.flatMap(({ categories }) => categories))].sort(),
    reasons,
    sources,
    disagreement:
      listedBy.length > 0 && others.length > 0 ? { listed_by: names(listedBy), not_listed_by: names(others) } : null,
    degraded: sources.length === 0 || sources.some(({ listed, stale }) => stale || listed === null),
  }
}

const withoutMatch = (feed: FeedFacts): Source => ({ ...feed, matches: [] })

function matchesOf(found: readonly Source[], own: readonly Expression[]): Source[] {
  const expressions = new Set(own)
  return found.map((source) => ({
    ...source,
    matches: source.matches.filter(({ expression }) => expressions.has(expression)),
  }))
}
