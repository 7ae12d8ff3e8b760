import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

/** Seconds by which a device may be late for a message: one with a `ttl` of 0 takes a moment to reach its stream, too. */
const lateSeconds = 60

/** What a client names when it opens the stream of an installation. */
export interface Opening {
  installationId: string
  /** The last event that it has seen; undefined when it has seen none, or does not know. */
  after: number | undefined
}

/** Where a stream begins. */
export const Position = z.object({
  n: z.number(),
  push_user_id: Id,
  last_event: z.number(),
  /** All events behind the one that the client has seen are still there. */
  resumes: z.boolean(),
})

/** Where a stream begins. */
export type Position = z.infer<typeof Position>

/**
 * Where streams of active installations begin, `n` being the place in `openings`; others are missing. Events are forgotten in
 * their order, so a client goes on behind its event when that one is kept, or an earlier one, or none can be forgotten yet. Of
 * an installation that has moved, the event may be the former person's: then it must be there itself.
 */
export async function findPositions(
  db: Db,
  openings: readonly Opening[],
  historyDays: number,
): Promise<readonly Position[]> {
  const rows = openings.map(({ installationId, after }, n) => [n, installationId, after ?? null])
  const ofStream = sql.fragment`d.installation_id = i.id and d.provider = 'sse'`
  return await db.any(sql.type(Position)`
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

/** A stream and what it has been sent. */
export interface Reader {
  installationId: string
  pushUserId: string
  /** Undefined when it wants what no receipt has confirmed. */
  after: number | undefined
}

/** What is new of one message: `[place in readers, delivery, event]` of each stream that gets it. */
const NewEvents = z.object({
  message_id: Id,
  locale: z.string().nullable(),
  to: z.array(z.tuple([z.number(), z.string(), z.number()])),
})

/** What is new of one message in one language. */
export type NewEvents = z.infer<typeof NewEvents>

const StreamRead = z.object({ gone: z.array(z.number()).nullable(), found: z.array(NewEvents).nullable() })

/**
 * What is new for streams, in one statement however many they are: at most `limit` events of each, the newest, of messages that
 * are not over. `gone` are the places of those whose installation is removed, invalidated or another person's now.
 */
export async function readNew(
  db: Db,
  readers: readonly Reader[],
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
