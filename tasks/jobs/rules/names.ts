import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as catalogue from '#sql/jobs/catalogue.ts'
import { tasks } from '../../index.ts'
import { type PoolName, poolNames, queues } from '../../pools.ts'

/** How people name a job: `pool:number` by its place in a queue, or the id of its run. */
export type JobRef = { pool: PoolName; jobId: number } | { run: string }

/** Thrown for what names nothing that there is; the sentence says what there is. */
export class UnknownName extends Error {
  override name = 'UnknownName'
}

/** What a name means; throws `UnknownName` when it is none. */
export function parseName(name: string): JobRef {
  if (Id.safeParse(name).success) return { run: name.toLowerCase() }
  const [, pool = '', number = ''] = /^([a-z-]+):(\d{1,15})$/.exec(name) ?? []
  if (!number)
    throw new UnknownName(`"${name}" names no job. A job is POOL:NUMBER, such as core:12, or the id of its run.`)
  return { pool: demandPool(pool), jobId: Number(number) }
}

/** The pool of that name; throws `UnknownName` when there is none. */
export function demandPool(name: string): PoolName {
  if (poolNames.includes(name as PoolName)) return name as PoolName
  throw new UnknownName(`There is no pool "${name}". There are ${poolNames.join(', ')}.`)
}

/** The task of that name: one that is declared, or that a queue has jobs of; throws `UnknownName` when there is none. */
export async function demandTask(db: Db, name: string): Promise<{ pool: PoolName; task: string }> {
  const known = await knownTasks(db)
  const pool = known.get(name)
  if (pool) return { pool, task: name }
  throw new UnknownName(`There is no task "${name}". There are ${[...known.keys()].sort().join(', ')}.`)
}

/** What can be paused: a pool (its `task` is then empty) or a task; throws `UnknownName` when it is neither. */
export async function demandTarget(db: Db, name: string): Promise<{ pool: PoolName; task: string }> {
  if (poolNames.includes(name as PoolName)) return { pool: name as PoolName, task: '' }
  const known = await knownTasks(db)
  const pool = known.get(name)
  if (pool) return { pool, task: name }
  const there = `The pools are ${poolNames.join(', ')}; the tasks are ${[...known.keys()].sort().join(', ')}.`
  throw new UnknownName(`There is no pool and no task "${name}". ${there}`)
}

async function knownTasks(db: Db): Promise<Map<string, PoolName>> {
  const seen = await catalogue.tasks(db, queues)
  const declared = tasks.map(({ name, pool }) => [name, pool] as const)
  return new Map([...seen.map(({ task, pool }) => [task, pool as PoolName] as const), ...declared])
}
