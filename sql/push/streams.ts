import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

/** Tolerance for late devices in seconds. A message with a `ttl` of 0 also needs a moment to reach its stream. */
const lateSeconds = 60

export interface StreamOpening {
  installationId: string
  /** Last event that the client received. Undefined if none or unknown. */
  after: number | undefined
}

export const StreamPosition = z.object({
  n: z.number(),
  push_user_id: Id,
  last_event: z.number(),
  /** True if all events after the client’s last one are still stored. */
  resumes: z.boolean(),
})

export type StreamPosition = z.infer<typeof StreamPosition>

/**
 * Returns the start positions of streams of active installations. `n` is the index in `openings`. Other streams are
 * omitted. Events are deleted in order. So a client can resume if its event or an earlier event is stored, or if no
 * event can have been deleted yet. After an installation has moved, the event may belong to the previous user. Then the
 * event itself must be stored.
 */
export async function findPositions(
  db: Db,
  openings: readonly StreamOpening[],
  historyDays: number,
): Promise<readonly StreamPosition[]> {
  const rows = openings.map(({ installationId, after }, n) => [n, installationId, after ?? null])
  const ofStream = sql.fragment`d.installation_id = i.id and d.provider = 'sse'`
  return await db.any(sql.type(StreamPosition)`
    select w.n, i.push_user_id, u.last_event, coalesce(
      exists (select from push.deliveries as d where ${ofStream} and d.event = w.after and d.push_user_id = u.id)
      or (w.after <= u.last_event
        and (w.after = u.last_event or i.created_at > now() - ${historyDays} * interval '1 day'
          or exists (select from push.deliveries as d where ${ofStream} and d.event < w.after))
        and not exists (select from push.deliveries as d where ${ofStream} and d.event is not null and d.push_user_id <> u.id)),
      false) as resumes
    from ${sql.unnest(rows, ['int4', 'uuid', 'int8'])} as w (n, id, after)
    join push.installations as i on i.id = w.id and i.provider = 'sse' and i.status = 'active'
    join push.users as u on u.id = i.push_user_id`)
}

export interface StreamReader {
  installationId: string
  pushUserId: string
  /** Undefined if the stream needs the messages without a receipt. */
  after: number | undefined
}

/** New events of one message: `[index in readers, delivery, event]` of each stream. */
const NewEvents = z.object({
  message_id: Id,
  locale: z.string().nullable(),
  to: z.array(z.tuple([z.number(), z.string(), z.number()])),
})

export type NewEvents = z.infer<typeof NewEvents>

const StreamRead = z.object({ gone: z.array(z.number()).nullable(), found: z.array(NewEvents).nullable() })

/**
 * Reads new events of any number of streams in one statement: up to `limit` of each stream, the newest, of messages
 * that have not expired. `gone` contains the indexes of streams whose installation was removed, invalidated or moved.
 */
export async function readNewEvents(
  db: Db,
  readers: readonly StreamReader[],
  limit: number,
): Promise<{ gone: readonly number[]; found: readonly NewEvents[] }> {
  const rows = readers.map(({ installationId, pushUserId, after }, n) => [n, installationId, pushUserId, after ?? null])
  const { gone, found } = await db.one(sql.type(StreamRead)`
    with wanted as (
      select (r ->> 0)::int4 as n, (r ->> 1)::uuid as id, (r ->> 2)::uuid as push_user_id, (r ->> 3)::int8 as after
      from json_array_elements(${JSON.stringify(rows)}::json) as r
    ), live as (
      select w.*, coalesce(i.locale, u.locale) as locale
      from wanted as w
      join push.installations as i on i.id = w.id and i.push_user_id = w.push_user_id and i.status = 'active'
      join push.users as u on u.id = i.push_user_id
    ), events as (
      select d.message_id, l.locale, l.n, d.id, d.event
      from live as l cross join lateral (
        select d.message_id, d.id, d.event
        from push.deliveries as d join push.messages as m on m.id = d.message_id
        where d.installation_id = l.id and d.provider = 'sse' and d.event > coalesce(l.after, 0)
          and d.push_user_id = l.push_user_id and (l.after is not null or d.delivered_at is null)
          and m.expires_at > now() - ${lateSeconds} * interval '1 second'
        order by d.event desc limit ${limit}
      ) as d
    )
    select
      (select json_agg(n) from wanted as w where not exists (select from live as l where l.n = w.n)) as gone,
      (select json_agg(m) from (
        select message_id, locale, json_agg(json_build_array(n, id, event)) as "to"
        from events group by message_id, locale
      ) as m) as found`)
  return { gone: gone ?? [], found: found ?? [] }
}
