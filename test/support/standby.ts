import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Postgres } from '../../ops/embedded/postgres.ts'
import { listProcesses } from '../../ops/embedded/postgres-folder.ts'
import { startStandby } from '../../ops/embedded/standby.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { runSql } from '../../ops/trials/failover/run-sql.ts'
import { clusterFolder, freePort, ownCluster, type Scope } from './postgres.ts'

export interface Standby extends Postgres {
  /** Runs a statement. Returns the first column of its first row. */
  run(text: string): Promise<unknown>
  /** Suspends all its processes. */
  freeze(): Promise<void>
  /** Resumes its processes. */
  thaw(): Promise<void>
}

/** Starts a migrated primary and its standby, a copy of its folder, until the test ends. */
export async function primaryAndStandby(t: Scope): Promise<{ primary: Postgres; standby: Standby }> {
  const primary = await ownCluster(t)
  await migrateAll(primary.url)
  return { primary, standby: await follow(t, primary) }
}

async function follow(t: Scope, primary: Postgres): Promise<Standby> {
  const source = String(await runSql(primary.url, 'show data_directory'))
  const dir = join(clusterFolder, `own-${randomBytes(6).toString('hex')}`)
  const standby = await startStandby(primary, source, {
    dir,
    port: await freePort(),
    settings: {
      fsync: 'off',
      shared_buffers: '32MB',
      max_standby_streaming_delay: '0',
      wal_retrieve_retry_interval: '100ms',
    },
    logFile: `${dir}.log`,
  })
  const signalAll = async (name: NodeJS.Signals) => {
    for (const pid of await listProcesses(dir)) process.kill(pid, name)
  }
  t.teardown(async () => {
    await signalAll('SIGCONT')
    await standby.stop('immediate')
    await rm(dir, { recursive: true, force: true })
    await rm(`${dir}.log`, { force: true })
  })
  return {
    url: standby.url,
    port: standby.port,
    get pid() {
      return standby.pid
    },
    stop: (mode) => standby.stop(mode),
    restart: (mode) => standby.restart(mode),
    run: (text) => runSql(standby.url, text),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
  }
}
