import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { allOf, byKey } from '../../by-key.ts'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'
import { type Attempt, table as attempts } from './attempts.ts'

/** Rejections that suppress an address only if they are repeated. */
export const strikeTable = defineTable(
  'email',
  'strikes',
  z.object({ org_id: Id, email: z.string(), reply_class: z.string(), strikes: z.number(), last_at: z.date() }),
  { retention: days(30, 'last_at') },
)

export interface Settlement {
  message_id: string
  /** Connection that leased the message. Null if the message is locked in the caller’s transaction. */
  leased_by: string | null
  attempts: number
  /** Delay until the next attempt in milliseconds. Null if no attempt follows. */
  retry_ms: number | null
  /** Address of the next attempt. Null for any address of the pool. */
  local_address: string | null
}

/**
 * Stores the next step of deliveries whose lease is valid. Returns their messages. No delivery is due after its give-up
 * time. When a delivery of the platform’s own email ends, its content is deleted, because it has codes, links and
 * tokens. The statement is planned each time, because a plan made for an empty table would scan the whole table until
 * the next analyze.
 */
export async function settle(tx: Db, settled: readonly Settlement[]): Promise<ReadonlySet<string>> {
  const done = await tx.anyFirst(sql.type(z.object({ message_id: Id }))`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(settled)}::json) as g
        (message_id uuid, leased_by uuid, attempts integer, retry_ms float8, local_address text)
    ), gone as (
      delete from email.deliveries as d using given as g
      where ${byKey('d.message_id', 'g.message_id', allOf('message_id', 'given'))} and d.leased_by is not distinct from g.leased_by and g.retry_ms is null
      returning d.message_id
    ), said as (
      update email.messages as m set subject = regexp_replace(subject, '[0-9]{6}', '[code]') from gone
      where m.id = gone.message_id and m.org_id = (select org_id from account.platform)
      returning m.org_id, m.content_id
    ), forgotten as (
      delete from email.contents as c using said where c.id = said.content_id and c.org_id = said.org_id
    ), kept as (
      update email.deliveries as d set leased_by = null, attempts = g.attempts, losses = 0, sending_losses = 0,
        local_address = g.local_address, due_at = least(now() + g.retry_ms * interval '1 millisecond', greatest(d.give_up_at, now()))
      from given as g
      where ${byKey('d.message_id', 'g.message_id', allOf('message_id', 'given'))} and d.leased_by is not distinct from g.leased_by and g.retry_ms is not null
      returning d.message_id)
    select message_id from gone union all select message_id from kept`)
  return new Set(done)
}

export type NewAttempt = Omit<Attempt, 'started_at' | 'ended_at'> & { started_at: string; ended_at: string }

export async function insertAttempts(tx: Db, rows: readonly NewAttempt[]): Promise<void> {
  if (rows.length > 0) await tx.query(sql.typeAlias('void')`${attempts.insertMany(rows)}`)
}

export type Strike = Pick<z.infer<typeof strikeTable.Row>, 'org_id' | 'email' | 'reply_class'>

const StrikeCount = strikeTable.Row.omit({ last_at: true })

/**
 * Counts rejections that each follow the previous rejection within `within` milliseconds. Returns the number per
 * address.
 */
export async function strike(
  tx: Db,
  given: readonly Strike[],
  within: number,
): Promise<readonly z.infer<typeof StrikeCount>[]> {
  if (given.length === 0) return []
  return await tx.any(sql.type(StrikeCount)`
    insert into email.strikes as s (org_id, email, reply_class)
    select distinct on (org_id, email, reply_class) org_id, email, reply_class
    from json_to_recordset(${JSON.stringify(given)}::json) as g (org_id uuid, email text, reply_class text)
    order by org_id, email, reply_class
    on conflict (org_id, email, reply_class) do update set last_at = now(),
      strikes = case when s.last_at > now() - ${within} * interval '1 millisecond' then s.strikes + 1 else 1 end
    returning org_id, email, reply_class, strikes`)
}
