import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { table as jobs } from './jobs.ts'

export const table = defineTable(
  'work',
  'flow_jobs',
  z.object({
    flow_id: Id,
    job_id: Id,
    org_id: Id,
    name: z.string(),
    position: z.number(),
    /** Names of the jobs that must end before this job starts. */
    after: z.array(z.string()),
    on_failure: z.enum(['skip', 'run']),
    with_results: z.boolean(),
    delay_seconds: z.number(),
    state: z.enum(['blocked', 'open', 'completed', 'failed', 'cancelled', 'skipped']),
    response_status: z.number().nullable(),
    result: z.string().nullable(),
  }),
)

export type FlowJob = z.infer<typeof table.Row>

const columns = table.columns()

export async function insertMany(tx: Db, rows: readonly FlowJob[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insertMany(rows)}`)
}

/** Returns the jobs of flows in their order. */
export async function listOfFlows(db: Db, flowIds: readonly string[]): Promise<readonly FlowJob[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from work.flow_jobs where flow_id = any(${sql.array([...flowIds], 'uuid')})
    order by flow_id, position`)
}

/** Facts of the job itself. Null if it was deleted. */
const Detailed = table.Row.extend({
  status: jobs.Row.shape.status.nullable(),
  attempts: z.number().nullable(),
  error: z.string().nullable(),
  started_at: z.date().nullable(),
  ended_at: z.date().nullable(),
})

export type DetailedFlowJob = z.infer<typeof Detailed>

/** Returns the jobs of a flow in their order, with the facts of the jobs that still exist. */
export async function listDetailed(db: Db, flowId: string): Promise<readonly DetailedFlowJob[]> {
  return await db.any(sql.type(Detailed)`
    select ${table.columns('f')}, j.status, j.attempts, j.error, j.started_at, j.ended_at
    from work.flow_jobs as f left join work.jobs as j on j.id = f.job_id
    where f.flow_id = ${flowId} order by f.position`)
}

const Counts = z.object({ flow_id: Id, state: table.Row.shape.state, count: z.number() })

/** Returns the number of jobs of each state. */
export async function countStates(db: Db, flowIds: readonly string[]): Promise<readonly z.infer<typeof Counts>[]> {
  return await db.any(sql.type(Counts)`
    select flow_id, state, count(*)::integer as count from work.flow_jobs
    where flow_id = any(${sql.array([...flowIds], 'uuid')}) group by flow_id, state`)
}

export type StateChange = Pick<FlowJob, 'job_id' | 'state'> & Partial<Pick<FlowJob, 'response_status' | 'result'>>

export async function setStates(tx: Db, changes: readonly StateChange[]): Promise<void> {
  if (changes.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update work.flow_jobs as f set state = c.state, response_status = c.response_status, result = c.result
    from json_to_recordset(${JSON.stringify(changes)}::json)
      as c (job_id uuid, state text, response_status integer, result text)
    where f.job_id = c.job_id`)
}
