import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { childEnvironment } from '#lib/config.ts'
import type { Command } from '../embedded/postgres-account.ts'
import { LogFile } from './log-file.ts'
import { relay } from './relay.ts'
import { say } from './terminal.ts'

export interface Part {
  name: string
  /** Returns the command before each start. Its process must exit when this process dies. */
  command: () => Promise<Command> | Command
  env?: Record<string, string>
  /**
   * Work that must be complete before the part runs. Meanwhile, the process is loaded and waits on its standard input
   * (START_HELD) until this resolves.
   */
  after?: Promise<unknown>
  /** Sign of readiness: a line that the process prints, or a check that is repeated. */
  ready: { line: string } | { check: (pid: number) => Promise<boolean> }
  stopSignal: NodeJS.Signals
  grace: number
  quiet?: boolean
  /**
   * Called every few seconds when the part is ready. If the result is not true three times in a row, the part is
   * killed.
   */
  alive?: (pid: number) => Promise<boolean>
  /** True if the part is restarted even if it was never ready. No other part waits for it. */
  persistent?: boolean
}

export interface SupervisedPart {
  /** Settles once: when the part is ready for the first time, or when it exits before that. */
  readonly ready: Promise<void>
  readonly pid: number | undefined
  stop(): Promise<void>
}

/**
 * First and maximum delay before a restart in milliseconds, and the run time in milliseconds after which the first
 * delay applies again.
 */
const pauses = { first: 200, most: 5_000, healthyAfter: 10_000 }

const usualWatch = { every: 5_000, patience: 3 }

/** Returns a command whose process the kernel kills when this process dies. */
export const killWithParent = (file: string, ...args: string[]): Command => ({
  file: 'setpriv',
  args: ['--pdeathsig=KILL', '--', file, ...args],
})

/** Starts a part. When the part has been ready once, restarts it with growing delays whenever it exits unexpectedly. */
export function supervise(part: Part, logFile: string, watch = usualWatch): SupervisedPart {
  const stopping = new AbortController()
  const ready = Promise.withResolvers<void>()
  const log = new LogFile(logFile)
  let wasReady = false
  let child: ChildProcess | undefined
  ready.promise.catch(() => {})
  const ended = keepRunning()

  async function keepRunning(): Promise<void> {
    let delay = pauses.first
    while (true) {
      const begun = Date.now()
      const why = await runOnce().catch((error: Error) => `could not be started: ${error.message}`)
      ready.reject(new Error(`${part.name} ${why}. Its log: ${logFile}`))
      if (stopping.signal.aborted || !(wasReady || part.persistent)) return
      if (Date.now() - begun > pauses.healthyAfter) delay = pauses.first
      say(part.name, `${why}; restarting in ${delay / 1000} s`)
      await pause(delay, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      delay = Math.min(delay * 2, pauses.most)
    }
  }

  async function runOnce(): Promise<string> {
    const { file, args } = await part.command()
    if (stopping.signal.aborted) return 'is no longer needed'
    // The process runs in a separate session, because this process forwards Ctrl-C in order.
    const held = part.after !== undefined
    const env = childEnvironment({ PROCESS_NAME: part.name, ...part.env, ...(held && { START_HELD: 'true' }) })
    const running = spawn(file, args, { detached: true, stdio: [held ? 'pipe' : 'ignore', 'pipe', 'pipe'], env })
    child = running
    running.stdin?.on('error', () => {})
    part.after?.then(
      () => running.stdin?.end(),
      () => {},
    )
    const exit = once(running, 'exit')
    const gone = new AbortController()
    try {
      const isReady = awaitReady(running, gone.signal)
      await once(running, 'spawn')
      void isReady.then((yes) => {
        wasReady ||= yes
        if (yes) ready.resolve()
        if (yes && part.alive) void killHanging(running, part.alive, gone.signal)
      })
      const [code, signal] = await exit
      return signal ? `was ended by ${signal}` : `ended with status ${code}`
    } finally {
      gone.abort()
    }
  }

  async function killHanging(
    running: ChildProcess,
    alive: NonNullable<Part['alive']>,
    gone: AbortSignal,
  ): Promise<void> {
    for (let missed = 0; !gone.aborted; ) {
      await pause(watch.every, undefined, { signal: gone }).catch(() => {})
      if (gone.aborted) return
      missed = (await alive(running.pid ?? 0).catch(() => false)) ? 0 : missed + 1
      if (missed < watch.patience) continue
      say(part.name, 'is not responding; killing it')
      running.kill('SIGKILL')
      return
    }
  }

  async function awaitReady(running: ChildProcess, gone: AbortSignal): Promise<boolean> {
    const heard = Promise.withResolvers<void>()
    const wanted = part.ready
    const hear = (line: string) => {
      const meant = 'line' in wanted && line.includes(wanted.line)
      if (meant) heard.resolve()
      return meant
    }
    relay(running, { name: part.name, quiet: part.quiet ?? false, log, hear })
    if ('line' in wanted) await Promise.race([heard.promise, once(gone, 'abort')])
    else while (!gone.aborted && !(await wanted.check(running.pid ?? 0).catch(() => false))) await pause(50)
    return !gone.aborted
  }

  return {
    ready: ready.promise,
    get pid() {
      return child?.exitCode === null && child.signalCode === null ? child.pid : undefined
    },
    async stop() {
      stopping.abort()
      child?.kill(part.stopSignal)
      const deadline = setTimeout(() => {
        say(part.name, `did not exit within ${part.grace / 1000} s; killing it`)
        child?.kill('SIGKILL')
      }, part.grace)
      await ended
      clearTimeout(deadline)
    },
  }
}
