import { z } from 'zod'
import { type Db, sql } from '../db.ts'

/** A pool's queue: the pool, and the Postgres schema that graphile-worker has for it. */
export interface Queue {
  pool: string
  schema: string
}

/** A queue's table of jobs. */
export const jobsOf = ({ schema }: Pick<Queue, 'schema'>) => sql.identifier([schema, '_private_jobs'])

/** A queue's table of task names. */
export const tasksOf = ({ schema }: Pick<Queue, 'schema'>) => sql.identifier([schema, '_private_tasks'])

/**
 * Gives back, at no cost of an attempt, what is locked for worker $1 other than the jobs $2: a statement for the connections of
 * the queue library, whose driver is not ours.
 */
export const releaseOthers = (schema: string) => `
  update "${schema}"._private_jobs set attempts = greatest(attempts - 1, 0), locked_by = null, locked_at = null
  where locked_by = $1 and locked_at is not null and id <> all ($2::bigint[])`

/**
 * Runs `r` with their jobs `q` that are still in a queue: of the table itself, as the library's view joins two more, which hides
 * the table's indexes.
 */
export const runsInQueue = (queue: Queue) => sql.fragment`
  jobs.runs as r join ${jobsOf(queue)} as q on q.id = r.job_id and r.pool = ${queue.pool}`

/** graphile-worker's last migration that is known here; its tables are private to it and change without notice. */
export const knownVersion = 20
const knownRelease = '0.18'

/** What is used here of the library's tables and types, each in the order of its columns. */
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

/** Thrown when a queue's tables are not those that are known here. */
export class UnknownQueueSchema extends Error {
  override name = 'UnknownQueueSchema'
}

/** Checks that all queues have the columns that are used here; throws `UnknownQueueSchema` that names those that are not as they must be. */
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
  if (version === null) throw new UnknownQueueSchema(`There is no queue ${schema}: run \`npm run migrate\`.`)
  const ofFirst = missing
    .filter((each) => each.schema === schema)
    .map(({ relation, wanted }) => `${relation}.${wanted}`)
  throw new UnknownQueueSchema(
    `Queue ${schema} lacks ${ofFirst.join(', ')}. It is at migration ${version} of graphile-worker; known here is ${knownVersion} (graphile-worker ${knownRelease}).`,
  )
}

/** The library's last migration that a queue has run; null where there is no queue. */
async function versionOf(db: Db, schema: string): Promise<number | null> {
  const there = sql.type(z.object({ there: z.boolean() }))`
    select to_regclass(format('%I.migrations', ${schema}::text)) is not null as there`
  if (!(await db.oneFirst(there))) return null
  return await db.oneFirst(sql.type(z.object({ id: z.number().nullable() }))`
    select max(id) as id from ${sql.identifier([schema, 'migrations'])}`)
}

/** Schemas of queues that a stale worker's completions are not kept from (`jobs.install_fence`). */
export async function unfenced(db: Db, queues: readonly Queue[]): Promise<readonly string[]> {
  const schemas = queues.map(({ schema }) => schema)
  return await db.anyFirst(sql.type(z.object({ schema: z.string() }))`
    select schema from unnest(${sql.array(schemas, 'text')}) as schema
    where not exists (
      select from pg_trigger where tgname = 'fence' and tgrelid = to_regclass(format('%I._private_jobs', schema)))`)
}

/** Rows of all queues that are yet to be vacuumed away. */
export async function deadRows(db: Db): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ dead: z.number() }))`
    select coalesce(sum(n_dead_tup), 0) as dead from pg_stat_user_tables where relname = '_private_jobs'`)
}
