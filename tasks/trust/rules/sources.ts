import type { DatabasePool } from '#sql/db.ts'
import * as confirmations from '#sql/trust/confirmations.ts'
import type { FeedFacts, Match, Source } from '#sql/trust/entries.ts'
import { getPrefix } from '#sql/trust/safe-browsing/expressions.ts'

export interface SourceFinding {
  name: string
  kind: FeedFacts['kind']
  /** `null` if unknown: the feed was never imported, or its provider did not respond. */
  listed: boolean | null
  categories: string[]
  matched: string | null
  detail: string | null
  first_seen: Date | null
  entries: number
  age_seconds: number | null
  stale: boolean
}

/** Requests the full hashes for up to 30 prefixes from a feed’s provider. `null` if the provider does not respond. */
export type Confirm = (
  url: string,
  prefixes: number[],
) => Promise<readonly Pick<confirmations.Confirmation, 'prefix' | 'hashes'>[] | null>

/** Maximum number of queries to one provider for the URLs of one check. The result for other prefixes is unknown. */
const mostQuestions = 4

const mostPrefixes = 30

export type ConfirmedHashes = ReadonlyMap<number, confirmations.Confirmation['hashes']>

export function getFinding(source: Source, known: ConfirmedHashes): SourceFinding {
  const { name, kind, entries, checked_at, stale_after_seconds } = source
  const age = checked_at === null ? null : Math.max(0, Math.floor((Date.now() - checked_at.getTime()) / 1000))
  const judged = source.matches.map((match) => judgeMatch(match, known))
  const found = judged.filter((one) => one.categories.length > 0)
  const [first] = found
  return {
    name,
    kind,
    entries,
    age_seconds: age,
    stale: age === null || age > stale_after_seconds,
    listed: first ? true : age === null || judged.some(({ open }) => open) ? null : false,
    categories: [...new Set(found.flatMap(({ categories }) => categories))],
    matched: first?.match.expression.text ?? null,
    detail: first?.match.detail ?? null,
    first_seen: first?.match.firstSeen ?? null,
  }
}

/** Returns the categories of a match. `open` if unknown. */
function judgeMatch(match: Match, known: ConfirmedHashes): { match: Match; categories: string[]; open: boolean } {
  if (!match.isPrefix) return { match, categories: [match.category], open: false }
  const hashes = known.get(getPrefix(match.expression.hash))
  const full = match.expression.hash.toString('hex')
  return { match, categories: hashes?.find(({ hash }) => hash === full)?.categories ?? [], open: hashes === undefined }
}

/** Returns the full hashes for matching prefixes, as far as they are stored or can be requested. */
export async function confirmMatches(
  db: DatabasePool,
  confirm: Confirm,
  sources: readonly Source[],
): Promise<ConfirmedHashes> {
  const asking = Map.groupBy(
    sources.flatMap(({ url, matches }) =>
      matches.flatMap(({ isPrefix, expression }) => (isPrefix ? [{ url, prefix: getPrefix(expression.hash) }] : [])),
    ),
    ({ url }) => url,
  )
  const all = [...new Set([...asking.values()].flat().map(({ prefix }) => prefix))]
  if (all.length === 0) return new Map()
  const known = new Map((await confirmations.findValid(db, all)).map(({ prefix, hashes }) => [prefix, hashes]))
  for (const [url, open] of asking) {
    if (url === null) continue
    const prefixes = [...new Set(open.map(({ prefix }) => prefix))].filter((prefix) => !known.has(prefix))
    for (let at = 0; at < Math.min(prefixes.length, mostQuestions * mostPrefixes); at += mostPrefixes) {
      const answers = await confirm(url, prefixes.slice(at, at + mostPrefixes))
      if (answers === null) break
      for (const { prefix, hashes } of answers) known.set(prefix, hashes)
    }
  }
  return known
}
