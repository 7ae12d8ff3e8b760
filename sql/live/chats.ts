import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const Opens = z.enum(['always', 'broadcast', 'never'])

export const table = defineTable(
  'live',
  'chats',
  z.object({
    channel_id: Id,
    org_id: Id,
    opens: Opens,
    early_minutes: z.number(),
    slow_seconds: z.number(),
    max_length: z.number(),
    history: z.number(),
    keep_days: z.number(),
    updated_at: z.date(),
  }),
)

export type Chat = z.infer<typeof table.Row>

export type ChatSettings = Omit<Chat, 'channel_id' | 'org_id' | 'updated_at'>

/**
 * Postgres channel that notifies ingress of everything that readers of chats get. The payload is JSON with at most 8,000
 * bytes.
 */
export const chatChannel = 'live_chat'

/** Settings to change. Undefined settings do not change. */
export type ChatChanges = { [Name in keyof ChatSettings]?: ChatSettings[Name] | undefined }

export const defaults: ChatSettings = {
  opens: 'broadcast',
  early_minutes: 15,
  slow_seconds: 0,
  max_length: 300,
  history: 50,
  keep_days: 30,
}

const columns = table.columns()

export async function find(db: Db, channelId: string): Promise<ChatSettings & { updated_at: Date | null }> {
  const row = await db.maybeOne(sql.type(table.Row)`select ${columns} from live.chats where channel_id = ${channelId}`)
  return row ?? { ...defaults, updated_at: null }
}

export async function put(tx: Db, { id, org_id }: { id: string; org_id: string }, changes: ChatChanges): Promise<Chat> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ channel_id: id, org_id, ...defaults, ...definedOf(changes) })}
    on conflict (channel_id) do update set ${table.set({ ...changes, updated_at: new Date() })} returning ${columns}`)
}

const definedOf = (changes: ChatChanges): Partial<ChatSettings> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<ChatSettings>

const Opening = z.object({ is_open: z.boolean(), opens_at: z.date().nullable() })

/** Condition that viewers can write in the chat of the channel `c`. `null` settings are the defaults. */
const isOpen = sql.fragment`
  case coalesce(t.opens, 'broadcast') when 'always' then true when 'never' then false else
    exists (select from live.broadcasts as b
      where b.channel_id = c.id and b.live_at is not null and b.ended_at is null)
    or exists (select from live.scheduled_broadcasts as s
      where s.channel_id = c.id and s.state = 'scheduled'
        and s.starts_at <= now() + make_interval(mins => coalesce(t.early_minutes, ${defaults.early_minutes}))) end`

/** Returns whether viewers can write, and when the chat opens if a broadcast is scheduled. */
export async function readOpening(db: Db, channelId: string): Promise<z.infer<typeof Opening>> {
  return await db.one(sql.type(Opening)`
    select ${isOpen} as is_open,
      (select min(s.starts_at) from live.scheduled_broadcasts as s where s.channel_id = c.id and s.state = 'scheduled')
        - make_interval(mins => coalesce(t.early_minutes, ${defaults.early_minutes})) as opens_at
    from live.channels as c left join live.chats as t on t.channel_id = c.id where c.id = ${channelId}`)
}

export async function notify(tx: Db, payload: object): Promise<void> {
  await tx.query(sql.type(z.object({ notified: z.unknown() }))`
    select pg_notify(${chatChannel}, ${JSON.stringify(payload)}) as notified`)
}

/** Notifies readers that the chat may have been opened or closed. */
export const notifyState = (tx: Db, channelId: string): Promise<void> => notify(tx, { c: channelId, e: 'state' })

/** Disconnects all readers. Readers without a valid token cannot connect again. */
export const notifyGone = (tx: Db, channelId: string): Promise<void> => notify(tx, { c: channelId, e: 'gone' })
