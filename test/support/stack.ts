import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { openPool, sql } from '#sql/db.ts'
import { prune } from '#tasks/jobs/prune.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { kill } from '../../ops/kill.ts'
import { DevFacts } from '../../ops/start/dev-facts.ts'
import type { Scope } from './postgres.ts'
import { until } from './until.ts'

const program = fileURLToPath(new URL('../../ops/start/main.ts', import.meta.url))

export async function dataFolder(t: Scope): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'millrace-data-'))
  t.teardown(async () => {
    for (const pid of await processesOn(data)) kill(pid)
    await until(async () => (await processesOn(data)).length === 0)
    // Backends of a killed Postgres, whose titles overwrite the environment that identifies the others, continue to
    // write for a moment.
    await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
  return data
}

/** Runs `npm start` as a separate process with this data folder. */
export class Stack {
  readonly data: string
  readonly process: ChildProcess
  output = ''
  readonly #closed: Promise<unknown>

  constructor(data: string, port: number, environment: Record<string, string> = {}) {
    this.data = data
    const env = {
      ...process.env,
      TOUR: 'false',
      FRESHCLAM: 'false',
      MEDIA_NICE: '0',
      MILLRACE_DATA: data,
      PORT: String(port),
      ...environment,
    }
    // A separate process group, like in a terminal. It ends with the test.
    const args = ['--pdeathsig=KILL', '--', process.execPath, program]
    this.process = spawn('setpriv', args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#closed = once(this.process, 'close')
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        this.output += text
      })
    }
  }

  /** Resolves with its exit status and signal, after all output is in `output`. */
  async ended(): Promise<[number | null, NodeJS.Signals | null]> {
    await this.#closed
    return [this.process.exitCode, this.process.signalCode]
  }

  /** Waits until all parts are ready. Returns the facts in dev.json. */
  async ready(timeout = 60_000): Promise<DevFacts> {
    await until(
      () => {
        if (this.process.exitCode !== null) throw new Error('It ended.')
        return this.output.includes(' ready after ')
      },
      { timeout, what: 'the stack is ready' },
    ).catch((error) => {
      throw new Error(`The stack does not come up; it said:\n${this.output}`, { cause: error })
    })
    return DevFacts.parse(JSON.parse(await readFile(join(this.data, 'dev.json'), 'utf8')))
  }

  /** Sends a signal and waits for its end. */
  async stop(signal: NodeJS.Signals): Promise<[number | null, NodeJS.Signals | null]> {
    this.process.kill(signal)
    return await this.ended()
  }
}

/** Returns processes that were started with this data folder, of any parent, optionally only with a name. */
export async function processesOn(data: string, name = ''): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [environment, command] = await Promise.all(
        ['environ', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      )
      return environment?.split('\0').includes(`MILLRACE_DATA=${data}`) && command?.includes(name) ? [Number(pid)] : []
    }),
  )
  return found.flat()
}

/**
 * Facts that the next start keeps. Links to the demo page and for joining have new tokens each time. A neighbour can
 * have taken the port of live broadcasts, which every stack prefers.
 */
export const lasting = ({ push, ports, app_invitation: _, ...facts }: DevFacts) => ({
  ...facts,
  ports: { ...ports, live_rtmp: undefined },
  demo: push?.demo_url.replace(/token=[^&]*/, ''),
})

/** True if a stack’s ingress is ready. */
export const isReady = async (facts: DevFacts) => (await fetch(`${facts.base_url}/readyz`)).status === 200

/** Adds a job and waits until a worker has done it. */
export async function worksOff(facts: DevFacts): Promise<true> {
  const db = await openPool(facts.database_url, 1)
  try {
    await enqueue(db, prune, {}, { key: 'test' })
    const waiting = () => db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from jobs_core.jobs`)
    await until(async () => (await waiting()) === 0, { timeout: 30_000, what: 'the job is done' })
    return true
  } finally {
    await db.end()
  }
}
