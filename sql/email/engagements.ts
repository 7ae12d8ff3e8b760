import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const Kind = z.enum(['open', 'click'])

/**
 * Why a request counts as a machine. `client`: its user agent. `head`: it was a `HEAD` request. `prefetch`: the client
 * said so. `instant`: within seconds of delivery. `many_links`: several links within a second.
 */
export const MachineReason = z.enum(['client', 'head', 'prefetch', 'instant', 'many_links'])

export type MachineReason = z.infer<typeof MachineReason>

/** Rows are deleted with their message. */
export const table = defineTable(
  'email',
  'engagements',
  z.object({
    message_id: Id,
    org_id: Id,
    kind: Kind,
    /** Target of the link. Empty for opens. */
    url: z.string(),
    machine: z.boolean(),
    reason: MachineReason.nullable(),
    count: z.number(),
    first_at: z.date(),
    last_at: z.date(),
    user_agent: z.string().nullable(),
  }),
)

export const Engagement = table.Row

export type Engagement = z.infer<typeof Engagement>

/** Requests of one message, link and kind of client. Times are ISO 8601. */
export type GivenEngagement = Pick<Engagement, 'message_id' | 'kind' | 'url' | 'machine' | 'reason' | 'count'> & {
  first_at: string
  last_at: string
  user_agent: string | null
}

/** Seconds after the delivery in which requests come from scanners of the receiving server, not from readers. */
const instantSeconds = 5

const Recorded = Engagement.extend({ is_first: z.boolean() })

/**
 * Adds requests to their rows. Requests for messages that no longer exist, and for test messages, are ignored.
 * `is_first`: the row is new.
 */
export async function record(tx: Db, given: readonly GivenEngagement[]): Promise<readonly z.infer<typeof Recorded>[]> {
  return await tx.any(sql.type(Recorded)`
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::json) as g (message_id uuid, kind text, url text,
        machine boolean, reason text, count integer, first_at timestamptz, last_at timestamptz, user_agent text)),
    known as (
      select id, org_id, coalesce(delivered_at, sent_at) + ${instantSeconds} * interval '1 second' as human_from
      from email.messages
      where not sandbox and id in (select message_id from given) order by id for key share),
    judged as (
      select g.*, k.org_id, coalesce(g.first_at < k.human_from, true) as instant
      from given as g join known as k on k.id = g.message_id)
    insert into email.engagements as e
      (message_id, org_id, kind, url, machine, reason, count, first_at, last_at, user_agent)
    select message_id, org_id, kind, url, machine or instant,
      min(case when machine then reason when instant then 'instant' end),
      sum(count), min(first_at), max(last_at), min(user_agent)
    from judged group by message_id, org_id, kind, url, machine or instant
    order by message_id, kind, url, machine or instant
    on conflict (message_id, kind, url, machine) do update
    set count = least(e.count::bigint + excluded.count, 2147483647), last_at = greatest(e.last_at, excluded.last_at)
    returning ${table.columns('e')}, e.xmax = 0 as is_first`)
}

export async function list(db: Db, orgId: string, messageId: string): Promise<readonly Engagement[]> {
  return await db.any(sql.type(Engagement)`
    select ${table.columns()} from email.engagements
    where org_id = ${orgId} and message_id = ${messageId} order by first_at, url, machine limit 1000`)
}
