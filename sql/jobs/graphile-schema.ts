import { z } from 'zod'
import { type Db, sql } from '../db.ts'

export interface Queue {
  pool: string
  schema: string
}

export const jobsTable = ({ schema }: Pick<Queue, 'schema'>) => sql.identifier([schema, '_private_jobs'])

export const tasksTable = ({ schema }: Pick<Queue, 'schema'>) => sql.identifier([schema, '_private_tasks'])

/**
 * Releases the jobs that are locked for worker $1, except the jobs $2, without counting an attempt. The statement is
 * for the connections of the queue library, which use a different driver.
 */
export const releaseOthers = (schema: string) => `
  update "${schema}"._private_jobs set attempts = greatest(attempts - 1, 0), locked_by = null, locked_at = null
  where locked_by = $1 and locked_at is not null and id <> all ($2::bigint[])`

/**
 * Returns runs `r` joined with their jobs `q` that are still in a queue. Uses the table, because the library’s view
 * joins two more tables and prevents the use of indexes.
 */
export const runsInQueue = (queue: Queue) => sql.fragment`
  jobs.runs as r join ${jobsTable(queue)} as q on q.id = r.job_id and r.pool = ${queue.pool}`

/** Number of the last supported migration of graphile-worker. Its tables are private and can change without notice. */
export const knownVersion = 20
const knownRelease = '0.18'

/** Tables and types of the library that Millrace uses, each with its columns in order. */
const used: Record<string, Record<string, string>> = {
  _private_jobs: {
    id: 'bigint',
    task_id: 'integer',
    payload: 'json',
    priority: 'smallint',
    run_at: 'timestamp with time zone',
    attempts: 'smallint',
    max_attempts: 'smallint',
    last_error: 'text',
    created_at: 'timestamp with time zone',
    updated_at: 'timestamp with time zone',
    key: 'text',
    locked_at: 'timestamp with time zone',
    locked_by: 'text',
    revision: 'integer',
    flags: 'jsonb',
    is_available: 'boolean',
  },
  _private_tasks: { id: 'integer', identifier: 'text' },
  job_spec: {
    identifier: 'text',
    payload: 'json',
    queue_name: 'text',
    run_at: 'timestamp with time zone',
    max_attempts: 'smallint',
    job_key: 'text',
    priority: 'smallint',
    flags: 'text[]',
  },
}

const columns = Object.entries(used).flatMap(([relation, types]) =>
  Object.entries(types).map(([name, type], i) => [relation, name, type, relation === 'job_spec' ? i + 1 : null]),
)

export class UnknownQueueSchemaError extends Error {
  override name = 'UnknownQueueSchemaError'
}

/** Checks that all queues have the required columns. Throws `UnknownQueueSchemaError` with the missing columns. */
export async function checkQueues(db: Db, queues: readonly Queue[]): Promise<void> {
  const schemas = queues.map(({ schema }) => schema)
  const missing = await db.any(sql.type(z.object({ schema: z.string(), relation: z.string(), wanted: z.string() }))`
    select schema, relation, format('%s (%s)', name, type) as wanted
    from unnest(${sql.array(schemas, 'text')}) as schema
    cross join ${sql.unnest(columns, ['text', 'text', 'text', 'int2'])} as used (relation, name, type, place)
    where not exists (
      select from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
      join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where n.nspname = schema and c.relname = relation and a.attname = name and format_type(a.atttypid, null) = type
        and a.attnum = coalesce(place, a.attnum))
    order by schema, relation, name`)
  const [first] = missing
  if (!first) return
  const { schema } = first
  const version = await versionOf(db, schema)
  if (version === null)
    throw new UnknownQueueSchemaError(`The queue ${schema} does not exist. Run \`npm run migrate\`.`)
  const ofFirst = missing
    .filter((each) => each.schema === schema)
    .map(({ relation, wanted }) => `${relation}.${wanted}`)
  throw new UnknownQueueSchemaError(
    `Queue ${schema} does not have ${ofFirst.join(', ')}. It is at migration ${version} of graphile-worker. Supported is ${knownVersion} (graphile-worker ${knownRelease}).`,
  )
}

async function versionOf(db: Db, schema: string): Promise<number | null> {
  const there = sql.type(z.object({ there: z.boolean() }))`
    select to_regclass(format('%I.migrations', ${schema}::text)) is not null as there`
  if (!(await db.oneFirst(there))) return null
  return await db.oneFirst(sql.type(z.object({ id: z.number().nullable() }))`
    select max(id) as id from ${sql.identifier([schema, 'migrations'])}`)
}

/**
 * Returns the schemas of queues without the fence (`jobs.install_fence`). The fence rejects completions by stale
 * workers.
 */
export async function listUnfencedQueues(db: Db, queues: readonly Queue[]): Promise<readonly string[]> {
  const schemas = queues.map(({ schema }) => schema)
  return await db.anyFirst(sql.type(z.object({ schema: z.string() }))`
    select schema from unnest(${sql.array(schemas, 'text')}) as schema
    where not exists (
      select from pg_trigger where tgname = 'fence' and tgrelid = to_regclass(format('%I._private_jobs', schema)))`)
}

/** Returns the number of dead rows in all queues that vacuum has not removed yet. */
export async function countDeadRows(db: Db): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ dead: z.number() }))`
    select coalesce(sum(n_dead_tup), 0) as dead from pg_stat_user_tables where relname = '_private_jobs'`)
}
