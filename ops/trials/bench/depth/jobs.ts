import { Logger, runOnce } from 'graphile-worker'
import type pg from 'pg'
import { stabilisePlan } from '#sql/jobs/steady-plans.ts'
import { queues } from '#tasks/pools.ts'
import { noOp } from '../no-op.ts'
import { measure } from './measure.ts'
import type { Statement } from './plans.ts'
import { recordStatements } from './record.ts'
import type { Results } from './results.ts'
import type { Named, Subject } from './subjects.ts'

/** Jobs per `add_jobs`, and levels of their priority. An organisation with many waiting jobs has a high level. */
const [batch, levels] = [50_000, 20]

const claimOf = (pool: string): Named => ({ name: `claim of jobs of pool ${pool}`, area: 'queues' })

/** The claim of each pool. */
export const queueClaims: readonly Named[] = queues.map(({ pool }) => claimOf(pool))

interface Wanted {
  jobs: number
  times: number
  isDue(claim: Named): boolean
}

/** Measures a claim in the queue of each pool, first with a tenth of the waiting jobs. */
export async function* measureQueues(
  client: pg.Client,
  url: string,
  { jobs, times, isDue }: Wanted,
): AsyncGenerator<Results> {
  for (const { pool, schema } of queues) {
    const named = claimOf(pool)
    if (!isDue(named)) continue
    const claim = { ...named, ...(await createJobClaim(client, url, schema)) }
    await addJobs(client, schema, Math.ceil(jobs / 10))
    const fewer = await measure(client, claim, times)
    await addJobs(client, schema, jobs - Math.ceil(jobs / 10))
    const more = await measure(client, claim, times)
    await client.query(`truncate ${schema}._private_jobs`)
    yield { [named.name]: { fewer, more } }
  }
}

async function addJobs(client: pg.Client, schema: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= batch)
    await client.query(
      `select from ${schema}.add_jobs(array(
        select row($1, '{}', null, null, null, null, i % ${levels}, null)::${schema}.job_spec
        from generate_series(1, $2::integer) as i))`,
      [noOp.name, Math.min(left, batch)],
    )
  await client.query(`vacuum analyze ${schema}._private_jobs`)
}

/** Creates the claim of one job from a queue. Its transaction is rolled back. */
export async function createJobClaim(
  client: pg.Client,
  url: string,
  schema: string,
): Promise<Omit<Subject, keyof Named>> {
  const statement = await readClaim(url, schema)
  const run = async () => {
    await client.query('begin')
    await client.query(statement.text, statement.values)
    await client.query('rollback')
  }
  return { tables: [], run, record: async () => [statement] }
}

/** Returns the statement by which the queue library fetches jobs, with the plan of the product. */
async function readClaim(connectionString: string, schema: string): Promise<Statement> {
  const logger = new Logger(() => () => {})
  const taskList = { [noOp.name]: async () => {} }
  const sent = await recordStatements(() =>
    runOnce({ connectionString, schema, logger, noHandleSignals: true, taskList }),
  )
  const found = sent.find(({ name }) => name?.startsWith('get_job'))
  if (!found) throw new Error('The queue library fetches jobs with a different statement.')
  return stabilisePlan(found)
}
