import { z } from 'zod'
import { runBounded } from '../bounded.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import { everything, type Page } from '../filters.ts'
import { likeText } from '../like-text.ts'
import { type Bot, table } from './bots.ts'

export const Sort = z.enum(['popular', 'recent'])

const DirectoryEntry = table.Row.extend({ place: z.number() })

/** Value of the sort column, and the ID. */
export type Place = readonly [number, string]

export type DirectoryEntry = z.infer<typeof DirectoryEntry>

export const filters = {
  q(text: string) {
    const like = likeText(text)
    return text === ''
      ? everything
      : sql.fragment`(b.name ilike ${like} or b.tagline ilike ${like} or b.description ilike ${like})`
  },
  category: table.equals('category', 'b'),
  language: (language: string) => sql.fragment`b.languages @> array[${language}]::text[]`,
}

/** Returns published bots of all organisations. Throws `TooBroadError` if the search would read too many rows. */
export async function list(
  db: DatabasePool,
  { where, sort, before: after, limit }: Page<typeof filters, Place> & { sort: z.infer<typeof Sort> },
): Promise<readonly DirectoryEntry[]> {
  const place = {
    popular: sql.fragment`b.popularity`,
    recent: sql.fragment`(extract(epoch from b.published_at) * 1000000)::int8`,
  }[sort]
  // Uses the order of the indexes, so that a search for common words stops when its page is full.
  const order = { popular: sql.fragment`b.popularity`, recent: sql.fragment`b.published_at` }[sort]
  const from = {
    popular: sql.fragment`${after?.[0] ?? 0}::int8`,
    recent: sql.fragment`timestamptz 'epoch' + ${after?.[0] ?? 0}::float8 * interval '1 microsecond'`,
  }[sort]
  const behind = after ? sql.fragment`(${order}, b.id) < (${from}, ${after[1]}::uuid)` : everything
  return await runBounded(db, (tx) =>
    tx.any(sql.type(DirectoryEntry)`
      select ${table.columns('b')}, ${place} as place from bots.bots as b
      where b.published_at is not null and ${where} and ${behind}
      order by ${order} desc, b.id desc limit ${limit}`),
  )
}

const Owner = z.object({ name: z.string() })

export async function findOwnerName(db: Db, { org_id }: Pick<Bot, 'org_id'>): Promise<string> {
  return await db.oneFirst(sql.type(Owner)`select name from account.orgs where id = ${org_id}`)
}

export async function recount(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update bots.bots as b set popularity = n.count
    from (
      select b.id, count(c.id) as count from bots.bots as b
      left join bots.conversations as c on c.bot_id = b.id and c.created_at > now() - interval '30 days'
      where b.published_at is not null group by b.id
    ) as n
    where b.id = n.id and b.popularity <> n.count`)
}
