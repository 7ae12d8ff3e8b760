import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { lease, workerHoldsLease } from '../jobs/lease.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import * as legs from './legs.ts'

export const openStatuses = ['queued', 'initiated', 'ringing', 'in_progress'] as const

export const endStatuses = ['completed', 'busy', 'no_answer', 'failed', 'canceled'] as const

export const statuses = [...openStatuses, ...endStatuses] as const

/** Text that a call speaks to one telephone. The digits are sealed, and are spoken one after the other, twice. */
export const Speech = z.object({ language: z.string(), intro: z.string(), digits: z.string() })

export type Speech = z.infer<typeof Speech>

export const table = defineTable(
  'voice',
  'calls',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    caller_id: z.string(),
    status: z.enum(statuses),
    reason: z.string().nullable(),
    ended_by: z.enum(['a', 'b', 'api', 'limit', 'platform']).nullable(),
    ring_timeout_seconds: z.number(),
    max_duration_seconds: z.number(),
    metadata: z.record(z.string(), z.string()),
    switchboard_id: Id.nullable(),
    hangup_requested_at: z.date().nullable(),
    created_at: z.date(),
    answered_at: z.date().nullable(),
    ended_at: z.date().nullable(),
    speech: Speech.nullable(),
  }),
  { retention: days('VOICE_HISTORY_DAYS', 'ended_at', { batch: 1_000 }) },
)

export type Call = z.infer<typeof table.Row>

export type Status = Call['status']

export interface Ending {
  status: (typeof endStatuses)[number]
  reason: string
  ended_by: NonNullable<Call['ended_by']>
}

const columns = table.columns()

/** Allowed previous states of each state. A call never returns to an earlier state. */
const before: Record<Exclude<Status, 'queued'>, readonly Status[]> = {
  initiated: ['queued'],
  ringing: ['initiated'],
  in_progress: ['initiated', 'ringing'],
  completed: ['in_progress'],
  busy: ['initiated', 'ringing'],
  no_answer: ['initiated', 'ringing'],
  failed: openStatuses,
  canceled: ['queued', 'initiated', 'ringing'],
}

export async function insert(
  db: Db,
  call: Pick<
    Call,
    'id' | 'org_id' | 'key_id' | 'caller_id' | 'ring_timeout_seconds' | 'max_duration_seconds' | 'metadata'
  > &
    Partial<Pick<Call, 'speech'>>,
  numbers: { a: string; b?: string },
): Promise<Call> {
  const row = await db.one(sql.type(table.Row)`${table.insert(call)} returning ${columns}`)
  await db.query(sql.typeAlias('void')`
    ${legs.table.insertMany(
      Object.entries(numbers).map(([leg, number]) => ({
        ...{ call_id: call.id, leg: leg as legs.Leg['leg'] },
        ...{ number, status: 'queued' as const },
      })),
    )}`)
  return row
}

export async function find(db: Db, orgId: string, id: string): Promise<Call | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from voice.calls where id = ${id} and org_id = ${orgId}`)
}

export async function findMany(db: Db, ids: readonly string[]): Promise<readonly Call[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from voice.calls where id = any(${sql.array([...ids], 'uuid')})`)
}

export const filters = { status: table.equals('status') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Call[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from voice.calls where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Locks the calls of an organisation, so that only one transaction at a time counts and adds them. */
export async function lockOrg(tx: Db, orgId: string): Promise<void> {
  await tx.query(
    sql.typeAlias('void')`select from pg_advisory_xact_lock(${advisoryLockSpaces.calls}, hashtext(${orgId}))`,
  )
}

const Usage = z.object({ open: z.number(), day: z.number(), key_open: z.number(), key_day: z.number() })

/** Returns the number of open calls, and of calls in 24 hours, for an organisation and one of its keys. */
export async function usage(db: Db, orgId: string, keyId: string): Promise<z.infer<typeof Usage>> {
  return await db.one(sql.type(Usage)`
    select count(*) filter (where ended_at is null) as open,
      count(*) filter (where created_at > now() - interval '1 day') as day,
      count(*) filter (where ended_at is null and key_id = ${keyId}) as key_open,
      count(*) filter (where created_at > now() - interval '1 day' and key_id = ${keyId}) as key_day
    from voice.calls where org_id = ${orgId} and (ended_at is null or created_at > now() - interval '1 day')`)
}

export async function countOpen(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from voice.calls where org_id = ${orgId} and ended_at is null`)
}

/**
 * Assigns a queued call to a switchboard. Returns null if the call is no longer queued, or if the switchboard has no
 * lease.
 */
export async function claim(db: Db, id: string, switchboardId: string): Promise<Call | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update voice.calls set status = 'initiated', switchboard_id = ${switchboardId}
    where id = ${id} and status = 'queued' and ${workerHoldsLease(switchboardId)} returning ${columns}`)
}

/** A change of a leg. `dialog` and `trunk` are set only if they change. */
export type LegChange = Pick<legs.Leg, 'leg'> & Partial<Pick<legs.Leg, 'status' | 'trunk' | 'dialog' | 'sip_status'>>

/**
 * Moves a call of a switchboard to another state, together with its legs. Without a state, only the legs change.
 * Returns false without any change if the call belongs to another switchboard, or if the transition is not allowed.
 */
export async function move(
  db: Db,
  call: { id: string; switchboardId: string },
  to: Exclude<Status, 'queued'> | Ending | undefined,
  changes: readonly LegChange[],
): Promise<boolean> {
  const ending = typeof to === 'object' ? to : undefined
  const status = typeof to === 'object' ? to.status : to
  const from = status === undefined ? openStatuses : before[status]
  return await db.oneFirst(sql.type(z.object({ moved: z.boolean() }))`
    with moved as (
      update voice.calls set status = coalesce(${status ?? null}, status),
        reason = coalesce(${ending?.reason ?? null}, reason), ended_by = coalesce(${ending?.ended_by ?? null}, ended_by),
        answered_at = case when ${status === 'in_progress'} then now() else answered_at end,
        ended_at = case when ${ending !== undefined} then now() end
      where id = ${call.id} and switchboard_id = ${call.switchboardId} and status = any(${sql.array([...from], 'text')})
      returning id
    ), changed as (
      update voice.legs as l set status = coalesce(c.status, l.status), trunk = coalesce(c.trunk, l.trunk),
        dialog = coalesce(c.dialog, l.dialog), sip_status = coalesce(c.sip_status, l.sip_status),
        ringing_at = case when c.status = 'ringing' then coalesce(l.ringing_at, now()) else l.ringing_at end,
        answered_at = case when c.status = 'answered' then coalesce(l.answered_at, now()) else l.answered_at end,
        ended_at = case when ${ending !== undefined} then coalesce(l.ended_at, now()) else l.ended_at end
      from moved, jsonb_to_recordset(${sql.jsonb(changes as never)})
        as c (leg text, status text, trunk text, dialog jsonb, sip_status integer)
      where l.call_id = moved.id and l.leg = c.leg
    )
    select exists (select from moved) as moved`)
}

/** Requests the end of a call. A queued call ends immediately, other calls shortly afterwards. */
export async function requestHangup(db: Db, orgId: string, id: string): Promise<Call | null> {
  return await hangUp(db, sql.fragment`id = ${id} and org_id = ${orgId}`)
}

export async function listOpen(db: Db, orgId: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from voice.calls where org_id = ${orgId} and ended_at is null order by id`)
}

export async function requestHangupOfAny(db: Db, id: string): Promise<Call | null> {
  return await hangUp(db, sql.fragment`id::text = ${id}`)
}

async function hangUp(db: Db, which: ReturnType<typeof sql.fragment>): Promise<Call | null> {
  const call = await db.maybeOne(sql.type(table.Row)`
    update voice.calls set hangup_requested_at = coalesce(hangup_requested_at, now()),
      status = case when status = 'queued' then 'canceled' else status end,
      reason = case when status = 'queued' then 'hung_up' else reason end,
      ended_by = case when status = 'queued' then 'api' else ended_by end,
      ended_at = case when status = 'queued' then now() end
    where ${which} and ended_at is null returning ${columns}`)
  if (call?.status === 'canceled') await endLegs(db, [call.id], 'canceled')
  return call
}

export async function failWaiting(tx: Db, id: string): Promise<readonly Call[]> {
  const failed = await tx.any(sql.type(table.Row)`
    update voice.calls set status = 'failed', reason = 'not_begun', ended_by = 'platform', ended_at = now()
    where id = ${id} and status = 'queued' returning ${columns}`)
  await endLegs(
    tx,
    failed.map((call) => call.id),
    'failed',
  )
  return failed
}

/**
 * Fails queued calls that no worker started in time, so that telephones do not ring hours later. Returns the failed
 * calls.
 */
export async function expire(tx: Db, seconds: number): Promise<readonly Call[]> {
  const expired = await tx.any(sql.type(table.Row)`
    update voice.calls set status = 'failed', reason = 'not_begun', ended_by = 'platform', ended_at = now()
    where status = 'queued' and ended_at is null and created_at < now() - make_interval(secs => ${seconds})
    returning ${columns}`)
  await endLegs(
    tx,
    expired.map(({ id }) => id),
    'failed',
  )
  return expired
}

async function endLegs(db: Db, ids: readonly string[], status: legs.Leg['status']): Promise<void> {
  if (ids.length === 0) return
  await db.query(sql.typeAlias('void')`
    update voice.legs set status = ${status}, ended_at = now()
    where call_id = any(${sql.array([...ids], 'uuid')}) and ended_at is null`)
}

const News = z.object({ id: Id, taken: z.boolean() })

/**
 * Returns, from these calls, the calls that another switchboard now has (`taken`) and the calls whose end was
 * requested.
 */
export async function findChanges(
  db: Db,
  switchboardId: string,
  ids: readonly string[],
): Promise<readonly z.infer<typeof News>[]> {
  return await db.any(sql.type(News)`
    select id, switchboard_id <> ${switchboardId} as taken from voice.calls
    where id = any(${sql.array([...ids], 'uuid')})
      and (switchboard_id <> ${switchboardId} or ended_at is null and hangup_requested_at is not null)`)
}

/**
 * Assigns calls of switchboards without a lease to this switchboard, which ends their dialogs. Each call is assigned to
 * only one switchboard.
 */
export async function adopt(db: Db, switchboardId: string, limit: number): Promise<readonly Call[]> {
  return await db.any(sql.type(table.Row)`
    update voice.calls set switchboard_id = ${switchboardId}
    where id = any(array(
      select c.id from voice.calls as c
      where c.ended_at is null and c.switchboard_id <> ${switchboardId} and not ${lease(sql.fragment`c.switchboard_id`)}
        and ${workerHoldsLease(switchboardId)}
      limit ${limit} for update of c skip locked))
    returning ${columns}`)
}
