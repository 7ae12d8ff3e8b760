import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import type { Person } from './users.ts'

/** Times at which runs of a person passed a `throttle` step. */
export const table = defineTable(
  'notify',
  'throttles',
  z.object({
    workflow_id: Id,
    user_id: Id,
    /** Number of the step in the workflow. */
    number: z.number(),
    key: z.string(),
    org_id: Id,
    /** Milliseconds since 1970. */
    passed: z.array(z.number()),
    last_at: z.date(),
  }),
  // The longest window has 30 days.
  { retention: days(31, 'last_at') },
)

export const Throttle = table.Row.omit({ last_at: true })

export type Throttle = z.infer<typeof Throttle>

export type ThrottleKey = Omit<Throttle, 'passed'>

/** Returns different throttles, locked until the transaction ends. Creates missing ones. */
export async function lockMany(tx: Db, keys: readonly ThrottleKey[]): Promise<readonly Throttle[]> {
  if (keys.length === 0) return []
  const orderOf = ({ workflow_id, user_id, number, key }: ThrottleKey) => `${workflow_id} ${user_id} ${number} ${key}`
  // In a fixed order, so that transactions with the same throttles cannot deadlock.
  const sorted = [...keys].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  return await tx.any(sql.type(Throttle)`
    ${table.insertMany(sorted)}
    on conflict (workflow_id, user_id, number, key) do update set org_id = excluded.org_id
    returning workflow_id, user_id, number, key, org_id, passed`)
}

export async function saveMany(tx: Db, throttles: readonly Throttle[]): Promise<void> {
  if (throttles.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update notify.throttles as t set last_at = now(), passed = w.passed::jsonb
    from ${sql.unnest(
      throttles.map(({ workflow_id, user_id, number, key, passed }) => [
        ...[workflow_id, user_id, number, key],
        JSON.stringify(passed),
      ]),
      ['uuid', 'uuid', 'int4', 'text', 'text'],
    )} as w (workflow_id, user_id, number, key, passed)
    where t.workflow_id = w.workflow_id and t.user_id = w.user_id and t.number = w.number and t.key = w.key`)
}

/** Deletes the counts of a person, so that nothing of the person is left. */
export async function removePerson(tx: Db, { org_id, user_id }: Person): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from notify.throttles where org_id = ${org_id} and user_id = ${user_id}`)
}
