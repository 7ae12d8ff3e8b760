import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as confirmations from '#sql/trust/confirmations.ts'
import type { Match, Source } from '#sql/trust/entries.ts'
import { prefixOf } from '#sql/trust/safe-browsing/expressions.ts'
import { confirmHashes } from '#tasks/trust/confirm-hashes.ts'
import { Instant } from '../http/instant.ts'
import type { Questions } from '../http/questions.ts'

/** What a source says of a URL, and how fresh it is. */
export const SourceView = z.object({
  name: z.string(),
  kind: z.enum(['list', 'urlhaus', 'safe_browsing']),
  listed: z
    .boolean()
    .nullable()
    .describe('null: it cannot be said, as the feed was never imported, or its keeper did not answer'),
  categories: z.array(z.string()),
  matched: z.string().nullable().describe('The part of the URL that is listed: a host with a path'),
  detail: z.string().nullable(),
  first_seen: Instant.nullable(),
  entries: z.number(),
  age_seconds: z.number().nullable().describe('Since it was last known to be current'),
  stale: z.boolean(),
})

/** What a source says of a URL. */
export type SourceView = z.input<typeof SourceView>

/** What each feed says of a URL; where one knows prefixes alone, its keeper is asked for the rest. */
export async function present(
  db: DatabasePool,
  questions: Questions,
  sources: readonly Source[],
): Promise<SourceView[]> {
  const known = await confirmed(db, questions, sources)
  return sources.map((source) => {
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
  })
}

type ConfirmedHashes = ReadonlyMap<number, confirmations.Confirmation['hashes']>

/** The categories that a match is listed for; `open` when that cannot be said. */
function judgeMatch(match: Match, known: ConfirmedHashes): { match: Match; categories: string[]; open: boolean } {
  if (!match.isPrefix) return { match, categories: [match.category], open: false }
  const hashes = known.get(prefixOf(match.expression.hash))
  const full = match.expression.hash.toString('hex')
  return { match, categories: hashes?.find(({ hash }) => hash === full)?.categories ?? [], open: hashes === undefined }
}

/** What stands behind the prefixes that match, as far as it is known or can be asked for. */
async function confirmed(db: DatabasePool, questions: Questions, sources: readonly Source[]): Promise<ConfirmedHashes> {
  const asking = sources.map(({ url, matches }) => ({
    url,
    prefixes: matches.filter(({ isPrefix }) => isPrefix).map(({ expression }) => prefixOf(expression.hash)),
  }))
  const all = [...new Set(asking.flatMap(({ prefixes }) => prefixes))]
  if (all.length === 0) return new Map()
  const known = new Map((await confirmations.find(db, all)).map(({ prefix, hashes }) => [prefix, hashes]))
  for (const { url, prefixes } of asking) {
    const open = [...new Set(prefixes)].filter((prefix) => !known.has(prefix)).slice(0, 30)
    if (url === null || open.length === 0) continue
    try {
      const answers = await questions.ask(confirmHashes, { url, prefixes: open }, { timeout: 5_000 })
      for (const { prefix, hashes } of answers) known.set(prefix, hashes)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
  }
  return known
}
