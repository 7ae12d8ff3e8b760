import { z } from 'zod'
import { type DatabasePool, type Db, openPool, sql } from '#sql/db.ts'
import { workers } from '#sql/jobs/fleet.ts'
import { checkQueues, countDeadRows, knownVersion, listUnfencedQueues } from '#sql/jobs/graphile-schema.ts'
import { countRunsWithoutJob } from '#sql/jobs/orphans.ts'
import { readOverview } from '#sql/jobs/overview.ts'
import { listPendingMigrations } from '#sql/migrate.ts'
import { queues } from '#tasks/pools.ts'
import { duration, number } from '../output.ts'
import { databaseUrl } from '../session.ts'
import { checkArchive } from './archive.ts'
import { checkMoves } from './cells.ts'
import { type Check, type Finding, fault, well } from './finding.ts'
import { checkPartitions } from './partitions.ts'
import { checkPasskeys } from './passkeys.ts'
import { checkReplica } from './replica.ts'
import { checkSessions } from './sessions.ts'

export const databaseNames: readonly string[] = [
  ...[
    'database',
    'sessions',
    'replica',
    'clock',
    'migrations',
    'queues',
    'connections',
    'vacuum',
    'workers',
    'passkeys',
  ],
  ...['partitions', 'moves', 'archive', 'runs'],
]

export async function databaseChecks(): Promise<{ checks: Check[]; close(): Promise<void> }> {
  let db: DatabasePool
  try {
    db = await openPool(await databaseUrl(), 4)
  } catch (error) {
    const look = async () => fault('database', (error as Error).message, 'set DATABASE_URL or MILLRACE_DATA')
    return { checks: [{ name: 'database', todo: '', look }], close: async () => {} }
  }
  const check = (name: string, todo: string, look: (db: Db) => Promise<Finding | Finding[]>): Check => ({
    name,
    todo,
    look: () => look(db),
  })
  return {
    checks: [
      check('database', 'start it, or correct DATABASE_URL', version),
      check('sessions', 'set DATABASE_URL to Postgres itself', checkSessions),
      check('replica', 'start it, or correct DATABASE_REPLICA_URL', checkReplica),
      check('clock', 'synchronise both clocks with NTP', clock),
      check('migrations', 'run `npm run migrate`', migrations),
      check('queues', 'install the release of this checkout: its lock file names graphile-worker', queueSchema),
      check('connections', 'raise max_connections, or lower DATABASE_POOL', connections),
      check('vacuum', 'find the open transactions in pg_stat_activity and end them', transactions),
      check('workers', 'start `npx node workers/main.ts`', fleet),
      check('partitions', 'find out why jobs/keep-partitions fails', (db) => checkPartitions(db)),
      check('moves', 'see `millrace orgs moves`', checkMoves),
      check('passkeys', 'set APP_URL to the host name of the existing passkeys', checkPasskeys),
      check('archive', 'see ops/deploy/POSTGRES.md, Backup and restore', checkArchive),
      check('runs', 'report this as a bug: such runs must not exist', strays),
    ],
    close: () => db.end(),
  }
}

async function version(db: Db): Promise<Finding> {
  const begun = performance.now()
  const Row = z.object({ number: z.coerce.number(), version: z.string(), address: z.string().nullable() })
  const row = await db.one(sql.type(Row)`
    select current_setting('server_version_num') as number, current_setting('server_version') as version,
      host(inet_server_addr()) || ':' || inet_server_port() as address`)
  const found = `Postgres ${row.version} at ${row.address ?? 'a local socket'} responds in ${(performance.now() - begun).toFixed(0)} ms`
  return row.number >= 150_000 ? well('database', found) : fault('database', found, 'Postgres 15 or newer is required')
}

/** Checks the clock. Schedules use the clock of the database. Leases and tokens use the clocks of the hosts. */
async function clock(db: Db): Promise<Finding> {
  const asked = Date.now()
  const theirs = await db.oneFirst(sql.type(z.object({ now: z.date() }))`select clock_timestamp() as now`)
  const off = Math.abs((asked + Date.now()) / 2 - theirs.getTime()) / 1000
  const found = `the clocks of this host and the database differ by ${off.toFixed(2)} s`
  return off < 2 ? well('clock', found) : fault('clock', found, 'synchronise both clocks with NTP')
}

async function migrations(db: Db): Promise<Finding> {
  const pending = await listPendingMigrations(db)
  const missing = await listUnfencedQueues(db, queues)
  const lacking = [...pending, ...missing]
  if (lacking.length > 0) return fault('migrations', `missing: ${lacking.join(', ')}`, 'run `npm run migrate`')
  return well('migrations', `all migrations have run; ${queues.length} queues are fenced`)
}

async function queueSchema(db: Db): Promise<Finding> {
  await checkQueues(db, queues)
  return well('queues', `the tables of graphile-worker match this release (migration ${knownVersion})`)
}

async function connections(db: Db): Promise<Finding> {
  const Row = z.object({ used: z.coerce.number(), most: z.coerce.number() })
  const { used, most } = await db.one(sql.type(Row)`
    select count(*) as used, current_setting('max_connections')::integer as most from pg_stat_activity
    where backend_type = 'client backend'`)
  const found = `${used} of ${most} are in use`
  return used < most * 0.9
    ? well('connections', found)
    : fault('connections', found, 'raise max_connections, or lower DATABASE_POOL')
}

/** A long open transaction prevents vacuum from removing dead jobs, which slows down every claim. */
async function transactions(db: Db): Promise<Finding> {
  const seconds = await db.oneFirst(sql.type(z.object({ seconds: z.coerce.number().nullable() }))`
    select extract(epoch from max(now() - xact_start)) as seconds from pg_stat_activity where backend_type = 'client backend'`)
  const dead = await countDeadRows(db)
  const found = `the oldest open transaction is ${duration(seconds ?? 0)} old; ${number(dead)} dead rows in the queues`
  return (seconds ?? 0) < 300
    ? well('vacuum', found)
    : fault('vacuum', found, 'find the open transactions in pg_stat_activity and end them')
}

async function fleet(db: Db): Promise<Finding[]> {
  const [alive, pools] = [await workers(db, queues, { ended: false }), await readOverview(db, queues)]
  const idle = queues.filter(({ pool }) => !alive.some((worker) => worker.pool === pool)).map(({ pool }) => pool)
  const hosts = new Set(alive.map(({ host }) => host)).size
  const findings = idle.length
    ? [
        fault(
          'workers',
          `no worker is running for ${idle.join(', ')}`,
          `run \`npx node workers/main.ts --pools ${idle.join(',')}\``,
        ),
      ]
    : [well('workers', `${alive.length} running on ${hosts} ${hosts === 1 ? 'host' : 'hosts'}, for every pool`)]
  const failed = pools.reduce((sum, pool) => sum + pool.failed, 0)
  const paused = pools.flatMap((pool) =>
    [pool.paused ? pool.pool : [], pool.tasks.filter((task) => task.paused).map(({ task }) => task)].flat(),
  )
  const said = `${number(failed)} failed jobs${paused.length ? `; paused: ${paused.join(', ')}` : ''}`
  return [...findings, well('queue', said)]
}

/** Checks for waiting runs without a job, which would wait forever. */
async function strays(db: Db): Promise<Finding> {
  const count = await countRunsWithoutJob(db, queues)
  const found = count === 0 ? 'every open run has a job' : `${number(count)} open runs have no job`
  return count === 0 ? well('runs', found) : fault('runs', found, 'report this as a bug: such runs must not exist')
}
