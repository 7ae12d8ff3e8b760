import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'
import { table as feeds } from './feeds.ts'
import { type Expression, getPrefix } from './safe-browsing/expressions.ts'

export const table = defineTable(
  'trust',
  'entries',
  z.object({
    prefix: z.number(),
    hash: z.instanceof(Buffer),
    feed_id: z.number(),
    exact: z.boolean(),
    category: z.string(),
    detail: z.string().nullable(),
    first_seen: z.date(),
  }),
)

/** An expression of a URL that a feed lists. */
export interface Match {
  expression: Expression
  category: string
  detail: string | null
  firstSeen: Date
  /** True if only the prefix of the hash is stored. */
  isPrefix: boolean
}

export const FeedFacts = feeds.Row.pick({
  id: true,
  name: true,
  kind: true,
  url: true,
  category: true,
  entries: true,
  checked_at: true,
  stale_after_seconds: true,
})

export type FeedFacts = z.infer<typeof FeedFacts>

/** A feed with its matches for a URL, if any. */
export type Source = FeedFacts & { matches: Match[] }

const EntryMatch = FeedFacts.extend({
  hash: table.Row.shape.hash.nullable(),
  exact: z.boolean().nullable(),
  entry_category: z.string().nullable(),
  detail: z.string().nullable(),
  first_seen: z.date().nullable(),
})

/** Returns all feeds by name, each with its matches for some expressions. Looks up prefixes in one statement. */
export async function findMatches(db: Db, expressions: readonly Expression[]): Promise<Source[]> {
  const byPrefix = Map.groupBy(expressions, ({ hash }) => getPrefix(hash))
  const rows = await db.any(sql.prepared('trust_entries.look_up', EntryMatch)`
    select ${getColumns(FeedFacts, 'f')}, e.hash, e.exact, e.category as entry_category, e.detail, e.first_seen
    from trust.feeds as f left join trust.entries as e
      on e.feed_id = f.id and e.prefix = any (${sql.array([...byPrefix.keys()], 'int4')})
    order by f.name`)
  const sources = new Map<number, Source>()
  for (const { hash, exact, entry_category, detail, first_seen, ...feed } of rows) {
    const source = sources.get(feed.id) ?? { ...feed, matches: [] }
    sources.set(feed.id, source)
    if (hash === null || first_seen === null) continue
    for (const expression of byPrefix.get(getPrefix(hash)) ?? []) {
      if (!hash.equals(expression.hash.subarray(0, hash.length)) || (exact && !expression.exact)) continue
      const [category, isPrefix] = [entry_category ?? feed.category, hash.length < expression.hash.length]
      source.matches.push({ expression, category, detail, firstSeen: first_seen, isPrefix })
    }
  }
  return [...sources.values()]
}
