import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { Due } from './turns.ts'

const Unblocked = Due.extend({ is_due: z.boolean() })

export type Unblocked = z.infer<typeof Unblocked>

/** Makes blocked jobs wait for their time. Returns them. A delay counts from now. */
export async function unblock(
  tx: Db,
  jobs: readonly { id: string; delay_seconds: number }[],
): Promise<readonly Unblocked[]> {
  return await tx.any(sql.type(Unblocked)`
    update work.jobs as j set phase = 'timed', status = 'waiting', blocked_by = 0,
      due_at = greatest(j.due_at, now() + g.delay_seconds * interval '1 second')
    from json_to_recordset(${JSON.stringify(jobs)}::json) as g (id uuid, delay_seconds integer)
    where j.id = g.id and j.phase = 'blocked'
    returning ${getColumns(Due, 'j')}, j.due_at <= now() as is_due`)
}

/** Stores the number of jobs that must end before these blocked jobs start. */
export async function setBlockedBy(tx: Db, counts: readonly { id: string; count: number }[]): Promise<void> {
  if (counts.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update work.jobs as j set blocked_by = g.count
    from json_to_recordset(${JSON.stringify(counts)}::json) as g (id uuid, count integer)
    where j.id = g.id and j.phase = 'blocked' and j.blocked_by <> g.count`)
}

/** Replaces the bodies of jobs that have not started. */
export async function setBodies(tx: Db, bodies: readonly { id: string; body: string }[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update work.jobs as j set body = g.body, body_type = 'json'
    from json_to_recordset(${JSON.stringify(bodies)}::json) as g (id uuid, body text)
    where j.id = g.id and j.phase = 'blocked'`)
}

const Body = z.object({ id: z.string(), body: z.string().nullable() })

export async function listBodies(tx: Db, ids: readonly string[]): Promise<readonly z.infer<typeof Body>[]> {
  return await tx.any(sql.type(Body)`
    select id, body from work.jobs where id = any(${sql.array([...ids], 'uuid')})`)
}

/** Makes ended jobs wait for others again, with all their attempts. Returns the IDs of those that exist. */
export async function blockAgain(tx: Db, ids: readonly string[]): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    update work.jobs set phase = 'blocked', status = 'blocked', attempts = 0, error = null, response_status = null,
      due_at = now(), ended_at = null
    where id = any(${sql.array([...ids], 'uuid')}) and phase = 'ended'
    returning id`)
}
