import { Logger, type Runner, run, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { noOp } from '../no-op.ts'

export const limitSchema = 'bench_limit'

const silent = new Logger(() => () => {})

export async function makeLimitSchema(connectionString: string): Promise<void> {
  await runMigrations({ connectionString, schema: limitSchema, logger: silent })
}

export async function addLimitJobs(connectionString: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(
    `select from ${limitSchema}.add_jobs(array(
      select row($1, '{}', null, null, null, null, null, null)::${limitSchema}.job_spec from generate_series(1, $2::integer)))`,
    [noOp.name, count],
  )
  await client.end()
}

export async function startLimit(
  connectionString: string,
  { concurrency, fetchAhead }: { concurrency: number; fetchAhead: number },
  work: () => void | Promise<void>,
): Promise<Runner> {
  return await run({
    connectionString,
    schema: limitSchema,
    noHandleSignals: true,
    logger: silent,
    taskList: {
      [noOp.name]: async () => work(),
    },
    preset: {
      worker: {
        concurrentJobs: concurrency,
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        localQueue: { size: fetchAhead },
      },
    },
  })
}
