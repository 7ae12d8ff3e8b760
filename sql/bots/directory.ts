import { z } from 'zod'
import { runBounded } from '../bounded.ts'
import { type DatabasePool, type Db, sql } from '../db.ts'
import { type Bot, table } from './bots.ts'

export const Sort = z.enum(['popular', 'recent'])

export interface DirectoryQuery {
  q?: string | undefined
  category?: string | undefined
  language?: string | undefined
  sort: z.infer<typeof Sort>
  after: { place: number; id: string } | undefined
  limit: number
}

const DirectoryEntry = table.Row.extend({ place: z.number() })

export type DirectoryEntry = z.infer<typeof DirectoryEntry>

const likeText = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Returns published bots of all organisations. Throws `TooBroadError` if the search would read too many rows. */
export async function list(db: DatabasePool, wanted: DirectoryQuery): Promise<readonly DirectoryEntry[]> {
  const { q, category, language, sort, after, limit } = wanted
  const place = {
    popular: sql.fragment`b.popularity`,
    recent: sql.fragment`(extract(epoch from b.published_at) * 1000000)::int8`,
  }[sort]
  // Uses the order of the indexes, so that a search for common words stops when its page is full.
  const order = { popular: sql.fragment`b.popularity`, recent: sql.fragment`b.published_at` }[sort]
  const from = {
    popular: sql.fragment`${after?.place ?? 0}::int8`,
    recent: sql.fragment`timestamptz 'epoch' + ${after?.place ?? 0}::float8 * interval '1 microsecond'`,
  }[sort]
  const like = q === undefined ? '' : likeText(q)
  const conditions = [
    sql.fragment`b.published_at is not null`,
    ...(q === undefined
      ? []
      : [sql.fragment`(b.name ilike ${like} or b.tagline ilike ${like} or b.description ilike ${like})`]),
    ...(category === undefined ? [] : [sql.fragment`b.category = ${category}`]),
    ...(language === undefined ? [] : [sql.fragment`b.languages @> array[${language}]::text[]`]),
    ...(after === undefined ? [] : [sql.fragment`(${order}, b.id) < (${from}, ${after.id}::uuid)`]),
  ]
  return await runBounded(db, (tx) =>
    tx.any(sql.type(DirectoryEntry)`
      select ${table.columns('b')}, ${place} as place from bots.bots as b
      where ${sql.join(conditions, sql.fragment` and `)}
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
