import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'
import { type Source, sources } from './streams.ts'

/** How far each stream has sent each source. */
export const table = defineTable(
  'account',
  'log_stream_positions',
  z.object({
    stream_id: Id,
    org_id: Id,
    source: z.enum(sources),
    number: z.number(),
    sent: z.number(),
    set_aside: z.number(),
    lost: z.number(),
    updated_at: z.date(),
  }),
)

/** Adds positions for sources, at the end of what exists now. Existing positions stay. */
export async function start(tx: Db, stream: { id: string; org_id: string }, wanted: readonly Source[]): Promise<void> {
  const { id, org_id } = stream
  await tx.query(sql.typeAlias('void')`
    insert into account.log_stream_counters (org_id, source)
    select ${org_id}, s from unnest(${sql.array([...wanted], 'text')}) as s where s <> 'audit'
    on conflict do nothing`)
  await tx.query(sql.typeAlias('void')`
    insert into account.log_stream_positions (stream_id, org_id, source, number)
    select ${id}, ${org_id}, s, case s
      when 'audit' then (select coalesce(max(number), 0) from account.audit where org_id = ${org_id})
      else (select number from account.log_stream_counters where org_id = ${org_id} and source = s) end
    from unnest(${sql.array([...wanted], 'text')}) as s on conflict do nothing`)
}

/** Removes the positions of other sources. */
export async function keepOnly(tx: Db, streamId: string, wanted: readonly Source[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.log_stream_positions
    where stream_id = ${streamId} and source <> all(${sql.array([...wanted], 'text')})`)
}

export async function findNumber(db: Db, streamId: string, source: Source): Promise<number | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ number: true }))`
    select number from account.log_stream_positions where stream_id = ${streamId} and source = ${source}`)
}

export interface Step {
  to: number
  sent?: number
  setAside?: number
  lost?: number
}

/**
 * Moves the position of a leased stream from `from`. Returns false if the lease has ended or the position has moved, so
 * that only one job moves it.
 */
export async function advance(
  tx: Db,
  lease: { id: string; wakeId: string },
  at: { source: Source; from: number },
  { to, sent = 0, setAside = 0, lost = 0 }: Step,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.log_stream_positions as p
    set number = ${to}, sent = sent + ${sent}, set_aside = set_aside + ${setAside}, lost = lost + ${lost}, updated_at = now()
    where stream_id = ${lease.id} and source = ${at.source} and number = ${at.from}
      and exists (select from account.log_streams as s where s.id = p.stream_id and s.leased_by = ${lease.wakeId})`)
  return rowCount === 1
}

const View = table.Row.pick({ stream_id: true, source: true, sent: true, set_aside: true, lost: true }).extend({
  /** Time of the oldest record that was not sent. Null if there is none. */
  waiting_since: z.date().nullable(),
})

export type View = z.infer<typeof View>

/** Returns the positions of streams with the time of their oldest waiting record. */
export async function list(db: Db, streamIds: readonly string[]): Promise<readonly View[]> {
  return await db.any(sql.type(View)`
    select p.stream_id, p.source, p.sent, p.set_aside, p.lost, ${waitingSince} as waiting_since
    from account.log_stream_positions as p
    where p.stream_id = any(${sql.array([...streamIds], 'uuid')}) order by p.stream_id, p.source`)
}

/** Time of the oldest record of the position `p` that was not sent. */
export const waitingSince = sql.fragment`case p.source
  when 'audit' then (
    select a.created_at from account.audit as a where a.org_id = p.org_id and a.number > p.number order by a.number limit 1)
  else coalesce((
    select q.created_at from account.log_stream_queue as q
    where q.org_id = p.org_id and q.source = p.source and q.number > p.number order by q.number limit 1), (
    select min(n.created_at) from (
      select q.created_at from account.log_stream_queue as q
      where q.org_id = p.org_id and q.source = p.source and q.number is null limit 1000) as n)) end`

const Lag = z.object({ kind: z.string(), source: table.Row.shape.source, seconds: z.number() })

/** Returns the longest lag in seconds by kind and source, of streams that are not paused. */
export async function measureLag(db: Db): Promise<readonly z.infer<typeof Lag>[]> {
  return await db.any(sql.type(Lag)`
    select s.kind, p.source,
      coalesce(max(extract(epoch from now() - (${waitingSince}))), 0)::float8 as seconds
    from account.log_stream_positions as p join account.log_streams as s on s.id = p.stream_id
    where s.paused_at is null group by 1, 2`)
}
