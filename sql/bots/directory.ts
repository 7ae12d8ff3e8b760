import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { type Bot, table } from './bots.ts'

/** How the directory is ordered. */
export const Sort = z.enum(['popular', 'recent'])

/** What of the directory is asked for. */
export interface Wanted {
  q?: string | undefined
  category?: string | undefined
  language?: string | undefined
  sort: z.infer<typeof Sort>
  /** Of the last bot of the page before: its place by `placeOf`, and its id. */
  after: { place: number; id: string } | undefined
  limit: number
}

const Listed = table.Row.extend({ place: z.number() })

/** A published bot, and its place in the order that was asked for: the greatest comes first. */
export type Listed = z.infer<typeof Listed>

const likeText = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Published bots of all organisations. */
export async function list(db: Db, { q, category, language, sort, after, limit }: Wanted): Promise<readonly Listed[]> {
  const place = {
    popular: sql.fragment`b.popularity`,
    recent: sql.fragment`(extract(epoch from b.published_at) * 1000000)::int8`,
  }[sort]
  const like = q === undefined ? null : likeText(q)
  return await db.any(sql.type(Listed)`
    select ${table.columns('b')}, ${place} as place from bots.bots as b
    where b.published_at is not null
      and (${like}::text is null or b.name ilike ${like} or b.tagline ilike ${like} or b.description ilike ${like})
      and (${category ?? null}::text is null or b.category = ${category ?? null})
      and (${language ?? null}::text is null or ${language ?? null} = any(b.languages))
      and (${after?.id ?? null}::uuid is null or (${place}, b.id) < (${after?.place ?? 0}::int8, ${after?.id ?? null}))
    order by place desc, b.id desc limit ${limit}`)
}

const Owner = z.object({ name: z.string() })

/** The name of the organisation that has a bot. */
export async function ownerOf(db: Db, { org_id }: Pick<Bot, 'org_id'>): Promise<string> {
  return await db.oneFirst(sql.type(Owner)`select name from account.orgs where id = ${org_id}`)
}

/** Counts the conversations of the last 30 days with each published bot anew. */
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
