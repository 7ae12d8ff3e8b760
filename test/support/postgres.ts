import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { statfsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { config } from '#lib/config.ts'
import { type Postgres, startPostgres } from '../../ops/embedded/postgres.ts'
import { preferPort } from '../../ops/start/ports.ts'
import { until } from './until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A test with an end: tap’s test object. */
export interface Scope {
  teardown(end: () => Promise<void>): unknown
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** Required size of memory for the files of the tests’ Postgres, which needs up to one GiB. */
const roomy = 4 * 1024 ** 3

/**
 * Folder of the tests’ Postgres, one per checkout and per `POSTGRES_BIN`. In memory if there is enough, because each
 * test’s database has 1,600 files, and creating and deleting them on disk takes a tenth of a complete run.
 */
export const clusterFolder = isRoomy('/dev/shm')
  ? `/dev/shm/millrace-test-${digest(`${root} ${config.POSTGRES_BIN ?? ''}`).slice(0, 16)}`
  : join(root, config.POSTGRES_BIN ? `.data/test-${digest(config.POSTGRES_BIN).slice(0, 8)}` : '.data/test')

/** Uses the size of the file system, which does not change with running processes. */
function isRoomy(folder: string): boolean {
  try {
    const { blocks, bsize } = statfsSync(folder)
    return blocks * bsize >= roomy
  } catch {
    return false
  }
}

/** The abstract socket of the keeper of the Postgres in this folder. */
export const keeperAddress = `\0millrace-test-${digest(clusterFolder)}`

let cluster: Promise<string> | undefined

/** Starts the tests’ Postgres if needed, and holds it while this process runs. Returns the superuser’s URL. */
export function ensureCluster(): Promise<string> {
  cluster ??= moveIn()
  return cluster
}

async function moveIn(): Promise<string> {
  const tenancy = await callKeeper().catch(async () => {
    const keeper = fileURLToPath(new URL('./keeper.ts', import.meta.url))
    spawn(process.execPath, [keeper], { detached: true, stdio: 'ignore' }).unref()
    return until(callKeeper, { what: "the keeper of the tests' Postgres listens" })
  })
  const word = await Promise.race([once(tenancy, 'data').then(String), once(tenancy, 'close').then(() => 'closed')])
  if (word === 'closed') return moveIn()
  if (word !== 'ready') throw new Error(word)
  tenancy.unref()
  return readFile(join(clusterFolder, 'url'), 'utf8')
}

async function callKeeper(): Promise<Socket> {
  const socket = connect(keeperAddress)
  await once(socket, 'connect')
  socket.on('error', () => socket.destroy())
  return socket
}

/** A separate Postgres to stop, kill and restart, until the test ends. */
export async function ownCluster(t: Scope, settings: Record<string, string> = {}): Promise<Postgres> {
  const dir = join(clusterFolder, `own-${randomBytes(6).toString('hex')}`)
  await ensureCluster()
  await mkdir(clusterFolder, { recursive: true })
  const password = randomBytes(16).toString('hex')
  const postgres = await startPostgres({
    dir,
    port: await freePort(),
    password,
    settings: { fsync: 'off', shared_buffers: '32MB', ...settings },
    logFile: `${dir}.log`,
  })
  t.teardown(async () => {
    await postgres.stop('immediate')
    await rm(dir, { recursive: true, force: true })
  })
  return postgres
}

/**
 * Returns a free port of 127.0.0.1 that no other process of the tests gets while this process runs. It is below the
 * kernel’s automatic range, so no connection uses it in the meantime.
 */
export const freePort = (): Promise<number> => preferPort('127.0.0.1', undefined)
