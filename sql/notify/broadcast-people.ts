import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { allIn, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'
import type { Broadcast } from './broadcasts.ts'

export const Outcome = z.enum(['waiting', 'told', 'refused', 'failed'])

/** People of broadcasts. The unique key on the person is the reason why nobody is notified twice. */
export const table = defineTable(
  'notify',
  'broadcast_people',
  z.object({
    id: Id,
    broadcast_id: Id,
    org_id: Id,
    user_id: Id,
    subject: z.string(),
    /** Person in the directory when the broadcast was accepted. `null` if the directory had no such person. */
    person_id: Id.nullable(),
    outcome: Outcome,
    reason: z.string().nullable(),
    event_id: Id.nullable(),
    at: z.date(),
  }),
)

export const Recipient = table.Row

export type Recipient = z.infer<typeof Recipient>

export type NewRecipient = Pick<Recipient, 'broadcast_id' | 'org_id' | 'user_id' | 'subject' | 'person_id'>

/** Adds people who are not yet notified. Returns those who were not in the broadcast, in order. */
export async function addMany(tx: Db, people: readonly NewRecipient[]): Promise<readonly Recipient[]> {
  if (people.length === 0) return []
  const rows = people.map((person) => ({ id: newId(), ...person, outcome: 'waiting' as const }))
  const added = await tx.any(sql.type(Recipient)`
    ${table.insertMany(rows)} on conflict (broadcast_id, user_id) do nothing returning ${table.columns()}`)
  return [...added].sort((a, b) => (a.id < b.id ? -1 : 1))
}

export async function listWaiting(tx: Db, broadcastId: string, limit: number): Promise<readonly Recipient[]> {
  return await tx.any(sql.type(Recipient)`
    select ${table.columns()} from notify.broadcast_people
    where broadcast_id = ${broadcastId} and outcome = 'waiting' order by id limit ${limit}`)
}

const Candidate = z.object({ id: Id, user_id: Id, subject: z.string(), person_id: Id.nullable() })

export type Candidate = z.infer<typeof Candidate>

/**
 * Returns the next people of a topic or of the directory. People who were added after the start of the broadcast are
 * not included.
 */
export async function listCandidates(
  tx: Db,
  { org_id, topic_id, audience, last_person, created_at }: Broadcast,
  limit: number,
): Promise<readonly Candidate[]> {
  const until = created_at.toISOString()
  const after = (column: readonly [string, string]) =>
    last_person === null ? sql.fragment`true` : sql.fragment`${sql.identifier(column)} > ${last_person}`
  if (audience === 'topic')
    return await tx.any(sql.type(Candidate)`
      select m.id, m.user_id, m.subject, p.id as person_id from notify.topic_people as m
      left join notify.people as p on p.org_id = m.org_id and p.user_id = m.user_id
      where m.topic_id = ${topic_id} and m.created_at <= ${until} and ${after(['m', 'id'])}
      order by m.id limit ${limit}`)
  return await tx.any(sql.type(Candidate)`
    select p.id, p.user_id, p.subject, p.id as person_id from notify.people as p
    where p.org_id = ${org_id} and p.created_at <= ${until} and ${after(['p', 'id'])} order by p.id limit ${limit}`)
}

/** Number of people whom a broadcast to a topic or to all will reach. */
export async function countCandidates(
  db: Db,
  { org_id, topic_id }: Pick<Broadcast, 'org_id' | 'topic_id'>,
): Promise<number> {
  return await db.oneFirst(
    topic_id === null
      ? sql.typeAlias('count')`select count(*) from notify.people where org_id = ${org_id}`
      : sql.typeAlias('count')`select count(*) from notify.topic_people where topic_id = ${topic_id}`,
  )
}

export type EndedRecipient = Pick<Recipient, 'id' | 'outcome' | 'reason' | 'event_id'>

export async function endMany(tx: Db, ended: readonly EndedRecipient[]): Promise<void> {
  if (ended.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update notify.broadcast_people as p set outcome = w.outcome, reason = w.reason, event_id = w.event_id, at = now()
    from ${sql.unnest(
      ended.map(({ id, outcome, reason, event_id }) => [id, outcome, reason, event_id]),
      ['uuid', 'text', 'text', 'uuid'],
    )} as w (id, outcome, reason, event_id)
    where ${byKey(
      'p.id',
      'w.id',
      allIn(
        ended.map(({ id }) => id),
        'uuid',
      ),
    )} and p.outcome = 'waiting'`)
}

/** Ends all waiting people of a broadcast. Returns their number. */
export async function refuseWaiting(tx: Db, broadcastId: string, reason: string): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update notify.broadcast_people set outcome = 'refused', reason = ${reason}, at = now()
    where broadcast_id = ${broadcastId} and outcome = 'waiting'`)
  return rowCount
}

export const filters = { outcome: table.equals('outcome') }

export async function list(
  db: Db,
  broadcastId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Recipient[]> {
  return await db.any(sql.type(Recipient)`
    select ${table.columns()} from notify.broadcast_people
    where broadcast_id = ${broadcastId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}
