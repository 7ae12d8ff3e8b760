import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { childEnvironment } from '#lib/config.ts'
import type { Command } from '../embedded/postgres-account.ts'
import { LogFile } from './log-file.ts'
import { relay } from './relay.ts'
import { say } from './terminal.ts'

/** A process that is kept running. */
export interface Part {
  name: string
  /** What to run, asked anew before each start; its process must end when this one dies, see `boundToUs`. */
  command: () => Promise<Command> | Command
  env?: Record<string, string>
  /** What it needs that is not there yet: it is loaded meanwhile, and held by its standard input (START_HELD) until this resolves. */
  after?: Promise<unknown>
  /** How it is known to do its work: by a line it prints, or by a check that is asked again and again. */
  ready: { line: string } | { check: (pid: number) => Promise<boolean> }
  stopSignal: NodeJS.Signals
  /** Milliseconds from the stop signal to SIGKILL. */
  grace: number
  /** Its lines are for its log only. */
  quiet?: boolean
  /** Asked every few seconds once it is ready; a part that does not say yes three times in a row hangs, and is killed. */
  alive?: (pid: number) => Promise<boolean>
  /** It is started again even if it never was ready: nothing waits for it. */
  persistent?: boolean
}

/** A part that is kept running. */
export interface SupervisedPart {
  /** Settles once: when it was ready for the first time, or when it ended before that. */
  readonly ready: Promise<void>
  /** Its process; undefined while it is not running. */
  readonly pid: number | undefined
  /** Stops it for good; resolves when its process is gone. */
  stop(): Promise<void>
}

/** Milliseconds: the first and the longest pause before a new start, and the run after which the first applies again. */
const pauses = { first: 200, most: 5_000, healthyAfter: 10_000 }

/** Milliseconds between two questions whether a part hangs, and how many answers may be missing. */
const usualWatch = { every: 5_000, patience: 3 }

/** A command whose process the kernel kills when this one dies, however hard. */
export const boundToUs = (file: string, ...args: string[]): Command => ({
  file: 'setpriv',
  args: ['--pdeathsig=KILL', '--', file, ...args],
})

/** Starts a part; once it was ready, starts it again after a growing pause whenever it ends unasked. */
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
      ready.reject(new Error(`${part.name} ${why}; its log is ${logFile}`))
      if (stopping.signal.aborted || !(wasReady || part.persistent)) return
      if (Date.now() - begun > pauses.healthyAfter) delay = pauses.first
      say(part.name, `${why}; starting it again in ${delay / 1000} s`)
      await pause(delay, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      delay = Math.min(delay * 2, pauses.most)
    }
  }

  /** Runs it to its end and returns how that came. */
  async function runOnce(): Promise<string> {
    const { file, args } = await part.command()
    if (stopping.signal.aborted) return 'was not wanted any more'
    // In a session of its own, as Ctrl-C is for this process to pass on, in order.
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
      say(part.name, 'does not answer any more and is killed')
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
        say(part.name, `did not end within ${part.grace / 1000} s and is killed`)
        child?.kill('SIGKILL')
      }, part.grace)
      await ended
      clearTimeout(deadline)
    },
  }
}
