import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { Channel } from './preferences.ts'

export const table = defineTable(
  'notify',
  'run_steps',
  z.object({
    run_id: Id,
    number: z.number(),
    org_id: Id,
    type: z.enum(['channel', 'wait', 'digest', 'branch', 'fetch', 'throttle', 'schedule']),
    channel: Channel.nullable(),
    state: z.enum(['waiting', 'done', 'skipped', 'refused', 'failed']),
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    message_id: Id.nullable(),
    text_locale: z.string().nullable(),
    text_version: z.number().nullable(),
    due_at: z.date().nullable(),
    at: z.date(),
  }),
)

export const RunStep = table.Row

export type RunStep = z.infer<typeof RunStep>

export type NewRunStep = Omit<RunStep, 'at'>

export async function recordMany(tx: Db, steps: readonly NewRunStep[]): Promise<void> {
  const last = new Map(steps.map((step) => [`${step.run_id} ${step.number}`, step]))
  if (last.size === 0) return
  await tx.query(sql.typeAlias('void')`
    ${table.insertMany([...last.values()])}
    on conflict (run_id, number) do update set state = excluded.state, reason = excluded.reason, detail = excluded.detail,
      message_id = excluded.message_id, text_locale = excluded.text_locale, text_version = excluded.text_version,
      due_at = coalesce(excluded.due_at, run_steps.due_at), at = now()`)
}

export async function listOf(db: Db, runIds: readonly string[]): Promise<readonly RunStep[]> {
  return await db.any(sql.type(RunStep)`
    select ${table.columns()} from notify.run_steps where run_id = any(${sql.array([...runIds], 'uuid')})
    order by run_id, number`)
}
