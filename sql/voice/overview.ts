import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import * as calls from './calls.ts'
import * as switchboards from './switchboards.ts'

const Counts = z.object({ up: z.number(), completed: z.number(), unanswered: z.number(), failed: z.number() })

export async function counts(db: Db): Promise<z.infer<typeof Counts>> {
  return await db.one(sql.type(Counts)`
    select (select count(*) from voice.calls where ended_at is null) as up,
      count(*) filter (where status = 'completed') as completed,
      count(*) filter (where status in ('busy', 'no_answer', 'canceled')) as unanswered,
      count(*) filter (where status = 'failed') as failed
    from voice.calls where ended_at > now() - interval '1 day'`)
}

const Board = switchboards.table.Row.extend({ host: z.string(), calls: z.number() })

export type Board = z.infer<typeof Board>

export async function boards(db: Db): Promise<readonly Board[]> {
  return await db.any(sql.type(Board)`
    select ${switchboards.table.columns('s')}, w.host,
      (select count(*) from voice.calls where switchboard_id = s.id and ended_at is null) as calls
    from voice.switchboards as s join jobs.workers as w on w.id = s.id where ${switchboards.hasLease} order by s.id`)
}

const LatestCall = calls.table.Row.pick({
  id: true,
  status: true,
  reason: true,
  ended_by: true,
  created_at: true,
  answered_at: true,
  ended_at: true,
}).extend({ id: Id, org: z.string(), a: z.string(), b: z.string() })

export type LatestCall = z.infer<typeof LatestCall>

export async function latest(db: Db, limit: number): Promise<readonly LatestCall[]> {
  return await db.any(sql.type(LatestCall)`
    select c.id, c.status, c.reason, c.ended_by, c.created_at, c.answered_at, c.ended_at, o.name as org,
      a.number as a, b.number as b
    from voice.calls as c join account.orgs as o on o.id = c.org_id
    join voice.legs as a on a.call_id = c.id and a.leg = 'a' join voice.legs as b on b.call_id = c.id and b.leg = 'b'
    order by c.id desc limit ${limit}`)
}
