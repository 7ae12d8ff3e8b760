import { type Db, sql } from '../db.ts'
import { jobsOf, type Queue } from './graphile-schema.ts'

/** The table that holds a queue's jobs, as `schema.name`. */
export const jobTableOf = ({ schema }: Queue): string => `${schema}._private_jobs`

/** Takes an organisation's jobs that no worker runs out of some blocks of a queue; returns how many. No task is told of it. */
export async function removeOfOrg(
  tx: Db,
  queue: Queue,
  orgId: string,
  [from, to]: readonly [number, number],
): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from ${jobsOf(queue)}
    where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${to},0)`}::tid and payload ->> 'org' = ${orgId} and locked_at is null`)
  return rowCount
}
