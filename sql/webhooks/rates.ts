import { z } from 'zod'
import { type Db, sql } from '../db.ts'

const limited = { endpoint: ['webhooks', 'endpoints'], app: ['hooks', 'apps'] } as const

const period = (alias: string) => sql.fragment`case ${sql.identifier([alias, 'rate_per'])}
  when 'second' then interval '1 second' else interval '1 minute' end`

/** Time at which the rate limit allows the next attempt. Null if it allows an attempt now. */
export const windowEnd = (alias: string) => {
  const column = (name: string) => sql.identifier([alias, name])
  return sql.fragment`case when ${column('window_count')} >= ${column('rate_limit')}
    then ${column('window_at')} + ${period(alias)} end`
}

/**
 * Takes up to `wanted` attempts from the rate limit of an endpoint or app. Returns the number of attempts that the limit
 * allows in the current second or minute.
 */
export async function takeAttempts(db: Db, what: keyof typeof limited, id: string, wanted: number): Promise<number> {
  const name = sql.identifier([...limited[what]])
  const ended = sql.fragment`(t.window_at is null or t.window_at + ${period('t')} <= now())`
  const granted = await db.maybeOneFirst(sql.type(z.object({ granted: z.number() }))`
    with before as (
      select t.id, t.rate_limit, ${ended} as ended, t.window_count from ${name} as t where t.id = ${id} for no key update
    ), taken as (
      select id, ended, least(${wanted}::integer, coalesce(rate_limit, ${wanted}::integer)
        - case when ended or rate_limit is null then 0 else window_count end) as granted from before
    )
    update ${name} as t
    set window_at = case when b.ended then now() else t.window_at end,
      window_count = case when b.ended then 0 else t.window_count end + greatest(b.granted, 0)
    from taken as b where t.id = b.id
    returning greatest(b.granted, 0) as granted`)
  return granted ?? 0
}

/** Returns attempts that were taken but not used, because another limit allows fewer. */
export async function giveBack(db: Db, what: keyof typeof limited, id: string, unused: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${sql.identifier([...limited[what]])} set window_count = greatest(0, window_count - ${unused})
    where id = ${id}`)
}
