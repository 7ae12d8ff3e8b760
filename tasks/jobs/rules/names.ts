import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as catalogue from '#sql/jobs/catalogue.ts'
import { tasks } from '../../index.ts'
import { type PoolName, poolNames, queues } from '../../pools.ts'

/** The name of a job: `pool:number` for its place in a queue, or the ID of its run. */
export type JobRef = { pool: PoolName; jobId: number } | { run: string }

/** Thrown for an unknown name. The message lists the valid names. */
export class UnknownNameError extends Error {
  override name = 'UnknownNameError'
}

/** Parses the name of a job. Throws `UnknownNameError` if it is not valid. */
export function parseName(name: string): JobRef {
  if (Id.safeParse(name).success) return { run: name.toLowerCase() }
  const [, pool = '', number = ''] = /^([a-z-]+):(\d{1,15})$/.exec(name) ?? []
  if (!number)
    throw new UnknownNameError(`"${name}" is not a job name. Use POOL:NUMBER, such as core:12, or the ID of a run.`)
  return { pool: requirePool(pool), jobId: Number(number) }
}

export function requirePool(name: string): PoolName {
  if (poolNames.includes(name as PoolName)) return name as PoolName
  throw new UnknownNameError(`The pool "${name}" does not exist. Pools: ${poolNames.join(', ')}.`)
}

/**
 * Returns the task with this name: a declared task, or a task with jobs in a queue. Throws `UnknownNameError` if the
 * task does not exist.
 */
export async function requireTask(db: Db, name: string): Promise<{ pool: PoolName; task: string }> {
  const known = await knownTasks(db)
  const pool = known.get(name)
  if (pool) return { pool, task: name }
  throw new UnknownNameError(`The task "${name}" does not exist. Tasks: ${[...known.keys()].sort().join(', ')}.`)
}

/**
 * Returns the pool (with an empty `task`) or the task with this name. Throws `UnknownNameError` if no pool or task has
 * the name.
 */
export async function requireTarget(db: Db, name: string): Promise<{ pool: PoolName; task: string }> {
  if (poolNames.includes(name as PoolName)) return { pool: name as PoolName, task: '' }
  const known = await knownTasks(db)
  const pool = known.get(name)
  if (pool) return { pool, task: name }
  const there = `Pools: ${poolNames.join(', ')}. Tasks: ${[...known.keys()].sort().join(', ')}.`
  throw new UnknownNameError(`"${name}" is not a pool or a task. ${there}`)
}

async function knownTasks(db: Db): Promise<Map<string, PoolName>> {
  const seen = await catalogue.tasks(db, queues)
  const declared = tasks.map(({ name, pool }) => [name, pool] as const)
  return new Map([...seen.map(({ task, pool }) => [task, pool as PoolName] as const), ...declared])
}
