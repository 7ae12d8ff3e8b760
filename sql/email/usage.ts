import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { lockRoom } from '../account/usage/budgets.ts'
import * as daily from '../account/usage.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'email',
  'usage',
  z.object({ org_id: Id, month: z.string(), messages: z.number(), granted: z.number() }),
)

const month = sql.fragment`date_trunc('month', now() at time zone 'utc')::date`

/** Number of messages left in a month for the organisation of the current row. */
const left = sql.fragment`greatest(0, (
  select p.monthly_messages from account.orgs as o join account.plans as p on p.name = o.plan where o.id = u.org_id
) - u.messages)`

/**
 * Counts messages of this month within plans and budgets. Returns the granted numbers. `uncapped` messages are always
 * granted. The rows stay locked until the transaction ends, so call it late.
 */
export async function take(
  tx: Db,
  wanted: readonly { org_id: string; messages: number; uncapped?: number }[],
): Promise<ReadonlyMap<string, number>> {
  if (wanted.length === 0) return new Map()
  const room = await lockRoom(
    tx,
    'email.messages',
    wanted.map(({ org_id }) => org_id),
  )
  const fitting = wanted.map(({ org_id, messages, uncapped = 0 }) => ({
    org_id,
    messages: Math.max(0, Math.min(messages, room.get(org_id) ?? messages)),
    uncapped,
  }))
  const rows = await tx.any(sql.type(table.Row.pick({ org_id: true, granted: true }))`
    insert into email.usage as u (org_id, month, messages, granted)
    select w.org_id, ${month}, least(w.messages, p.monthly_messages) + w.uncapped, least(w.messages, p.monthly_messages)
    from ${sql.unnest(
      fitting.map(({ org_id, messages, uncapped }) => [org_id, messages, uncapped]),
      ['uuid', 'int4', 'int4'],
    )} as w (org_id, messages, uncapped)
    join account.orgs as o on o.id = w.org_id join account.plans as p on p.name = o.plan
    order by w.org_id
    on conflict (org_id, month) do update set
      granted = least(excluded.granted, ${left}),
      messages = u.messages + least(excluded.granted, ${left}) + excluded.messages - excluded.granted
    returning org_id, granted`)
  const granted = new Map(rows.map((row) => [row.org_id, row.granted]))
  await daily.add(
    tx,
    'email.messages',
    fitting.map(({ org_id, uncapped }) => ({ org_id, amount: (granted.get(org_id) ?? 0) + uncapped })),
  )
  return granted
}

/** Gives messages that were never sent back to the month in which they were accepted. */
export async function giveBack(tx: Db, messages: readonly { org_id: string; created_at: Date }[]): Promise<void> {
  if (messages.length === 0) return
  await tx.query(sql.typeAlias('void')`
    with given as (
      select org_id, date_trunc('month', at at time zone 'utc')::date as month, count(*)::integer as messages
      from ${sql.unnest(
        messages.map(({ org_id, created_at }) => [org_id, created_at.toISOString()]),
        ['uuid', 'timestamptz'],
      )} as g (org_id, at) group by 1, 2
    ), locked as (
      select u.org_id, u.month, g.messages from email.usage as u join given as g using (org_id, month)
      order by u.org_id, u.month for update of u
    )
    update email.usage as u set messages = greatest(0, u.messages - l.messages)
    from locked as l where u.org_id = l.org_id and u.month = l.month`)
  await daily.add(
    tx,
    'email.messages',
    messages.map(({ org_id, created_at }) => ({ org_id, amount: -1, at: created_at })),
  )
}

const MonthUsage = z.object({ month: z.string(), messages: z.number(), cap: z.number(), resets_at: z.date() })

export async function find(db: Db, orgId: string): Promise<z.infer<typeof MonthUsage>> {
  return await db.one(sql.type(MonthUsage)`
    select to_char(${month}, 'YYYY-MM') as month, coalesce(u.messages, 0) as messages, p.monthly_messages as cap,
      (${month} + interval '1 month') at time zone 'utc' as resets_at
    from account.orgs as o
    join account.plans as p on p.name = o.plan
    left join email.usage as u on u.org_id = o.id and u.month = ${month}
    where o.id = ${orgId}`)
}
