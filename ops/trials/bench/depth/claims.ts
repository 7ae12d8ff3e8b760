import { Logger, runOnce } from 'graphile-worker'
import type pg from 'pg'
import { type DatabasePool, type Db, sql } from '#sql/db.ts'
import * as mail from '#sql/email/delivery/claims.ts'
import { stabilisePlan } from '#sql/jobs/steady-plans.ts'
import * as push from '#sql/push/deliveries.ts'
import * as webhooks from '#sql/webhooks/deliveries.ts'
import { poolSchema } from '#tasks/pools.ts'
import { noOp } from '../no-op.ts'
import type { Statement } from './plans.ts'
import { recordStatements } from './record.ts'
import { owner, rowId } from './rows.ts'

const limit = 20

export interface Claim {
  what: string
  run(): Promise<unknown>
}

const schema = poolSchema(noOp.pool)

export async function addJobs(client: pg.Client, count: number): Promise<void> {
  await client.query(`select from ${schema}.add_jobs(array(
    select row('${noOp.name}', '{}', null, null, null, null, null, null)::${schema}.job_spec from generate_series(1, ${count})))`)
}

/**
 * Returns all claims of waiting rows. Each runs in a transaction that is rolled back, so the next one sees the same
 * rows.
 */
export async function listClaims(db: DatabasePool, client: pg.Client, url: string): Promise<readonly Claim[]> {
  const jobs = await jobClaim(url)
  const undone = (what: string, run: (tx: Db) => Promise<unknown>): Claim => ({
    what,
    run: () =>
      db.connect(async (tx) => {
        await tx.query(sql.typeAlias('void')`begin`)
        await run(tx)
        await tx.query(sql.typeAlias('void')`rollback`)
      }),
  })
  const lane = { app_id: rowId(owner), provider: 'fcm', environment: 'sandbox' } as const
  const lease = rowId(owner)
  return [
    {
      what: 'jobs of a queue',
      async run() {
        await client.query('begin')
        await client.query(jobs.text, jobs.values)
        await client.query('rollback')
      },
    },
    undone('mail of a connection', (tx) =>
      mail.claim(tx, {
        connection: lease,
        pool: 'campaign',
        mxSet: 'mx',
        domain: 'example.com',
        address: '192.0.2.1',
        addresses: ['192.0.2.1'],
        limit,
      }),
    ),
    undone('mail of a domain', (tx) => mail.lockDomain(tx, 'campaign', 'example.com', limit)),
    undone('due email', (tx) => mail.lockExpired(tx, limit)),
    undone('pushes of a lane', (tx) => push.claim(tx, lane, { lease, seconds: 60, limit })),
    undone('due pushes', (tx) => push.claimExpired(tx, lane, { lease, seconds: 60, limit, late: 60 })),
    undone('webhooks of an endpoint', (tx) => webhooks.listDue(tx, rowId(owner), { limit, except: [] })),
  ]
}

async function jobClaim(connectionString: string): Promise<Statement> {
  const logger = new Logger(() => () => {})
  const sent = await recordStatements(() =>
    runOnce({ connectionString, schema, logger, noHandleSignals: true, taskList: { [noOp.name]: async () => {} } }),
  )
  const found = sent.find(({ name }) => name?.startsWith('get_job'))
  if (!found) throw new Error('The queue library fetches jobs with a different statement.')
  return stabilisePlan(found)
}
