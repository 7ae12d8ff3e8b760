import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { z } from 'zod'
import { type PoolName, poolSchema } from '#tasks/pools.ts'
import { task } from '#tasks/queue/task.ts'
import type { PoolPlan } from '../../../../workers/runtime/fleet.ts'

export const idlePoolNames = (count: number): string[] => Array.from({ length: count }, (_, i) => `bench-idle-${i + 1}`)

export async function makeIdleQueues(connectionString: string, count: number): Promise<void> {
  const logger = new Logger(() => () => {})
  const client = new pg.Client({ connectionString })
  await client.connect()
  for (const name of idlePoolNames(count)) {
    const schema = poolSchema(name as PoolName)
    await runMigrations({ connectionString, schema, logger })
    await client.query('select jobs.install_fence($1), jobs.install_channel($1)', [schema])
  }
  await client.end()
}

/** Plans of their workers. Half of them fetch ahead, like the high-rate pools. */
export function idlePoolPlans(count: number): PoolPlan[] {
  return idlePoolNames(count).map((name, i) => {
    const pool = name as PoolName
    const settings = { concurrency: 8, fetchAhead: i % 2 === 0 ? 100 : 0 }
    const rest = task({ name: `${name}/rest`, pool, payload: z.object({}), async run() {} })
    return { pool, settings, tasks: [rest], tools: {} as never }
  })
}
