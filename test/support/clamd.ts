import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { getConfigurationPath, getSocketPath, isUp, prepareClamd } from '../../ops/embedded/clamd.ts'
import type { Scope } from './postgres.ts'
import { until } from './until.ts'

/** A clamd with the local signatures. */
export interface TestClamd {
  socket: string
  /** Folder for further signatures before a start. */
  signatures: string
  start(): Promise<void>
  /** Makes it reload its signatures. */
  reload(): Promise<void>
  /** Kills it. */
  kill(): Promise<void>
  /** Suspends or resumes it. */
  freeze(): void
  thaw(): void
}

/** Starts a clamd until the test ends, `without` one of the product’s settings. */
export async function testClamd(t: Scope, { maxBytes = 2 ** 30, without = '' } = {}): Promise<TestClamd> {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-clamd-'))
  // clamd can enter its folder without capabilities, and cannot read other users’ files.
  await chmod(dir, 0o711)
  let child: ChildProcess | undefined
  const prepare = () => prepareClamd({ program: config.CLAMD_PATH, dir, maxBytes, threads: 4 })
  const clamd: TestClamd = {
    socket: getSocketPath(dir),
    signatures: join(dir, 'signatures'),
    async start() {
      const { file, args } = await prepare()
      const settings = (await readFile(getConfigurationPath(dir), 'utf8')).split('\n')
      await writeFile(getConfigurationPath(dir), settings.filter((line) => line.split(' ')[0] !== without).join('\n'))
      child = spawn(file, args, { stdio: 'ignore' })
      await until(() => isUp(dir), { what: 'clamd answers' })
    },
    async reload() {
      await prepare()
      const client = connect(getSocketPath(dir)).resume()
      client.write('zRELOAD\0')
      await once(client, 'close')
    },
    async kill() {
      const running = child
      child = undefined
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      await ended
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  }
  t.teardown(async () => {
    await clamd.kill()
    await rm(dir, { recursive: true, force: true })
  })
  await clamd.start()
  return clamd
}
