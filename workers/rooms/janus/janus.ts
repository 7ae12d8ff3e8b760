import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { canBeNobody, nobody, SupervisedProgram, startProgram } from '../../sandbox/supervised-program.ts'
import { janusConf } from './conf.ts'
import { JanusGoneError, JanusSession } from './session.ts'

export interface JanusOptions {
  program: string
  libraries: string
  icePorts: string
  interfaces: readonly string[]
  publicAddress: string | undefined
  onLost(): void
}

export interface Janus {
  adminKey: string
  /** Returns the session when Janus is running. Rejects if it does not start in time. */
  session(): Promise<JanusSession>
  pid(): number | undefined
  stop(): Promise<void>
}

/** Interval in milliseconds between checks of Janus, and between connection attempts while Janus starts. */
const [aliveMs, retryMs] = [5_000, 50]

/** Timeout in milliseconds for a client that waits until Janus is running. */
const patienceMs = 8_000

/** Starts Janus and restarts it when it stops. If Janus hangs, kills it. */
export async function startJanus({ program, onLost, ...facts }: JanusOptions): Promise<Janus> {
  // The data folder is not used, because the path of a Unix socket can have up to 107 bytes (unix(7)).
  const folder = await mkdtemp(join(tmpdir(), 'millrace-rooms-'))
  const socket = join(folder, 'janus.sock')
  const [apiSecret, adminKey] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')]
  for (const [name, content] of Object.entries(janusConf({ ...facts, folder, socket, apiSecret, adminKey }))) {
    const file = join(folder, name)
    await writeFile(file, content, { mode: 0o600 })
    if (canBeNobody) await chown(file, nobody, nobody)
  }
  if (canBeNobody) await chown(folder, nobody, nobody)
  await chmod(folder, 0o700)

  let child: ChildProcess | undefined
  let session: JanusSession | undefined
  let stopped = false
  const start = () => {
    // If Janus was killed, its socket file still exists.
    rmSync(socket, { force: true })
    child = startProgram([program, '-F', folder], (line) => {
      if (line.trim() && !line.startsWith('[WARN]')) log.debug({ program: 'janus', line }, 'Janus output')
    })
    return child
  }
  const lose = () => {
    if (!session) return
    session.close()
    session = undefined
    if (!stopped) onLost()
  }
  const supervised = new SupervisedProgram('janus', start, lose)
  const connect = runEvery(
    retryMs,
    async () => {
      if (session || stopped || child?.exitCode !== null) return
      session = await JanusSession.open(socket, apiSecret, lose)
    },
    () => {},
  )
  const alive = runEvery(
    aliveMs,
    async () => await session?.keepAlive(),
    (error) => {
      if (!(error instanceof JanusGoneError) || !session) return
      log.error({ err: error }, 'Janus is not responding; killing it')
      child?.kill('SIGKILL')
    },
  )
  return {
    adminKey,
    pid: () => (child?.exitCode === null ? child.pid : undefined),
    async session() {
      for (let waited = 0; waited < patienceMs; waited += retryMs) {
        if (session) return session
        if (stopped) break
        await pause(retryMs)
      }
      throw new JanusGoneError('Janus is not running.')
    },
    async stop() {
      stopped = true
      await Promise.all([connect.stop(), alive.stop()])
      session?.close()
      await supervised.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
