/**
 * Keeps the tests’ Postgres: one per checkout, shared by all test processes. Each process has a connection to this
 * process’s abstract socket, which is also the lock: only one process can bind it, and it disappears with the process.
 * Ends soon after the last connection, so a killed test run leaves nothing.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { startPostgres } from '../../ops/embedded/postgres.ts'
import { clusterFolder, freePort, keeperAddress } from './postgres.ts'

const tenants = new Set<Socket>()
const starting = Promise.withResolvers<string>()
let stop = async () => {}
let isEnding = false
let leaving: NodeJS.Timeout | undefined

const server = createServer((socket) => {
  tenants.add(socket)
  clearTimeout(leaving)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    tenants.delete(socket)
    if (tenants.size === 0) leaving = setTimeout(() => void end(), 20_000)
  })
  // A connection during the end receives only the end, and the client starts the next keeper.
  void starting.promise.then((word) => isEnding || socket.write(word))
})

server.on('error', () => process.exit(0))
server.listen(keeperAddress, () => void start())

async function start(): Promise<void> {
  const dir = join(clusterFolder, 'postgres')
  const logFile = join(clusterFolder, 'postgres.log')
  try {
    await rm(clusterFolder, { recursive: true, force: true })
    await mkdir(clusterFolder, { recursive: true })
    const settings = {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '400',
      max_wal_size: '256MB',
    }
    const password = randomBytes(16).toString('hex')
    const postgres = await startPostgres({ dir, port: await freePort(), password, settings, logFile })
    await writeFile(join(clusterFolder, 'url'), postgres.url, { mode: 0o600 })
    starting.resolve('ready')
    stop = async () => {
      await postgres.stop()
      await rm(clusterFolder, { recursive: true, force: true })
    }
  } catch (error) {
    starting.resolve(`failed: ${error instanceof Error ? error.message : String(error)}`)
    leaving = setTimeout(() => void end(), 1_000)
  }
}

async function end(): Promise<void> {
  isEnding = true
  await stop().finally(() => process.exit(0))
}
