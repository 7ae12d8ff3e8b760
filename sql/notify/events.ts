import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { Channel } from './preferences.ts'

/** Whether an event used a channel. */
export const ChannelUse = z.object({
  channel: Channel,
  used: z.boolean(),
  /** Why not; null when it was used. */
  reason: z.enum(['not_chosen', 'no_address', 'no_app']).nullable(),
  /** It waits to be sent with others. */
  digest: z.boolean(),
})

/** Whether an event used a channel. */
export type ChannelUse = z.infer<typeof ChannelUse>

/** What people are to be told of. */
export const table = defineTable(
  'notify',
  'events',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    user_id: Id,
    product_key: z.string(),
    type: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    url: z.string().nullable(),
    dedupe_key: z.string().nullable(),
    chosen_by: z.enum(['event', 'type', 'product', 'default']),
    channels: z.array(ChannelUse),
    created_at: z.date(),
  }),
  {
    retention: days('NOTIFY_INBOX_DAYS', 'created_at', {
      which: 'of which no copy waits',
      where: sql.fragment`not exists (
      select from notify.copies as c where c.event_id = old.id and c.status = 'waiting')`,
      following: sql.fragment`shown as (
        delete from notify.inbox where id in (select id from gone)
        returning org_id, user_id, greatest(number, read_number) as number
      ), forgotten as (
        update notify.users as u set forgotten = greatest(u.forgotten, s.number)
        from (select org_id, user_id, max(number) as number from shown group by org_id, user_id) as s
        where u.org_id = s.org_id and u.user_id = s.user_id)`,
    }),
  },
)

/** Something that a person is to be told of. */
export const Event = table.Row

/** The parsed row. */
export type Event = z.infer<typeof Event>

export type NewEvent = Omit<Event, 'created_at'>

/** Keeps events but for those whose dedupe key has one already; returns the kept ones. */
export async function insertMany(tx: Db, events: readonly NewEvent[]): Promise<readonly Event[]> {
  if (events.length === 0) return []
  // In one order everywhere: two transactions with the same keys wait for each other one way only.
  const sorted = [...events].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  return await tx.any(sql.type(Event)`
    ${table.insertMany(sorted)}
    on conflict (org_id, user_id, product_key, dedupe_key) where dedupe_key is not null do nothing
    returning ${table.columns()}`)
}

const orderOf = (event: NewEvent) => dedupeName(event) ?? ''

/** What an event's dedupe key names: it counts for one organisation, user and product; undefined without one. */
export const dedupeName = (event: Omit<DedupeKey, 'dedupe_key'> & Pick<Event, 'dedupe_key'>): string | undefined =>
  event.dedupe_key === null
    ? undefined
    : JSON.stringify([event.org_id, event.user_id, event.product_key, event.dedupe_key])

type DedupeKey = Pick<Event, 'org_id' | 'user_id' | 'product_key'> & { dedupe_key: string }

export async function findByDedupeKeys(db: Db, wanted: readonly DedupeKey[]): Promise<readonly Event[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Event)`
    select distinct on (e.id) ${table.columns('e')} from notify.events as e
    join ${sql.unnest(
      wanted.map(({ org_id, user_id, product_key, dedupe_key }) => [org_id, user_id, product_key, dedupe_key]),
      ['uuid', 'uuid', 'text', 'text'],
    )} as w (org_id, user_id, product_key, dedupe_key)
    on e.org_id = w.org_id and e.user_id = w.user_id and e.product_key = w.product_key and e.dedupe_key = w.dedupe_key`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Event | null> {
  return await db.maybeOne(
    sql.type(Event)`select ${table.columns()} from notify.events where org_id = ${orgId} and id = ${id}`,
  )
}
