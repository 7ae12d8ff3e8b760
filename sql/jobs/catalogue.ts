import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { type Queue, tasksTable } from './graphile-schema.ts'

export async function tasks(db: Db, queues: readonly Queue[]): Promise<readonly { pool: string; task: string }[]> {
  const branches = queues.map(
    (queue) => sql.fragment`select ${queue.pool} as pool, identifier as task from ${tasksTable(queue)}`,
  )
  return await db.any(sql.type(z.object({ pool: z.string(), task: z.string() }))`
    ${sql.join(branches, sql.fragment` union all `)} order by task`)
}
