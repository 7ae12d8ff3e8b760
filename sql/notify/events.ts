import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { allIn, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Part } from '../filters.ts'
import { days } from '../retention.ts'
import { createFiller, defineTable } from '../table.ts'
import { Channel } from './preferences.ts'

export const ChannelUse = z.object({
  channel: Channel,
  used: z.boolean(),
  /** Reason why the channel was not used. `null` if it was used. */
  reason: z.enum(['not_chosen', 'no_address', 'no_app', 'no_phone', 'no_connection', 'workflow']).nullable(),
  digest: z.boolean(),
})

export type ChannelUse = z.infer<typeof ChannelUse>

export const table = defineTable(
  'notify',
  'events',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    user_id: Id,
    subject: z.string().nullable(),
    product_key: z.string(),
    type: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    url: z.string().nullable(),
    dedupe_key: z.string().nullable(),
    chosen_by: z.enum(['event', 'workflow', 'type', 'product', 'default']),
    channels: z.array(ChannelUse),
    run_id: Id.nullable(),
    created_at: z.date(),
  }),
  {
    retention: days('NOTIFY_INBOX_DAYS', 'created_at', {
      which: 'without pending copies and runs',
      where: sql.fragment`not exists (
      select from notify.copies as c where c.event_id = old.id and c.status = 'waiting')
      and not exists (select from notify.runs as r where r.id = old.run_id and r.state = 'waiting')`,
      following: sql.fragment`shown as (
        delete from notify.inbox where id in (select id from gone)
        returning org_id, user_id, greatest(number, read_number, mark_number) as number
      ), forgotten as (
        update notify.users as u set forgotten = greatest(u.forgotten, s.number)
        from (select org_id, user_id, max(number) as number from shown group by org_id, user_id) as s
        where u.org_id = s.org_id and u.user_id = s.user_id)`,
    }),
  },
)

export const Event = table.Row

export type Event = z.infer<typeof Event>

/** Columns that the request gives. A form field with the name of such a column passes through to its row. */
const Given = Event.omit({ id: true, chosen_by: true, channels: true, run_id: true, created_at: true })

export type GivenEvent = z.infer<typeof Given>

export const fill = createFiller(Given, { data: {} })

export type NewEvent = Omit<Event, 'created_at'>

export async function insertMany(tx: Db, events: readonly NewEvent[]): Promise<readonly Event[]> {
  if (events.length === 0) return []
  // In a fixed order, so that transactions with the same keys cannot deadlock.
  const sorted = [...events].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  return await tx.any(sql.type(Event)`
    ${table.insertMany(sorted)}
    on conflict (org_id, user_id, product_key, dedupe_key) where dedupe_key is not null do nothing
    returning ${table.columns()}`)
}

const orderOf = (event: NewEvent) => dedupeName(event) ?? ''

/**
 * Returns the name of an event’s dedupe key for one organisation, person and product. Undefined if the event has no
 * dedupe key.
 */
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

/** Lists the events of a person, newest first. */
export async function listOf(
  db: Db,
  { org_id, user_id }: Pick<Event, 'org_id' | 'user_id'>,
  { before, limit }: Part,
): Promise<readonly Event[]> {
  return await db.any(sql.type(Event)`
    select ${table.columns()} from notify.events
    where org_id = ${org_id} and user_id = ${user_id} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function setRuns(tx: Db, joined: readonly { id: string; run_id: string }[]): Promise<void> {
  if (joined.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update notify.events as e set run_id = w.run_id
    from ${sql.unnest(
      joined.map(({ id, run_id }) => [id, run_id]),
      ['uuid', 'uuid'],
    )} as w (id, run_id)
    where ${byKey(
      'e.id',
      'w.id',
      allIn(
        joined.map(({ id }) => id),
        'uuid',
      ),
    )}`)
}

const Gathered = z.object({
  run_id: Id,
  count: z.number(),
  events: z.array(Event.pick({ title: true, body: true, url: true })),
})

/** Returns the number of events of each run, and the first `most` of them, in order. */
export async function listForRuns(db: Db, runIds: readonly string[], most: number) {
  if (runIds.length === 0) return []
  return await db.any(sql.type(Gathered)`
    select w.id as run_id, (select count(*) from notify.events as e where e.run_id = w.id) as count,
      (select coalesce(jsonb_agg(jsonb_build_object('title', title, 'body', body, 'url', url) order by id), '[]') from (
        select id, title, body, url from notify.events as e where e.run_id = w.id order by id limit ${most}) as first) as events
    from unnest(${sql.array([...runIds], 'uuid')}) as w (id)`)
}
