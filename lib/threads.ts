import type { Piscina } from 'piscina'
import { describe } from './errors.ts'
import { log } from './log.ts'
import { createFairSlots, NoSlotError, ShareUsedUpError } from './slots.ts'

export interface ThreadLimits {
  /** Maximum number of threads. A thread starts when there is work, and exits after `idleSeconds` without work. */
  threads: number
  /** Default: 10. Threads that load much at the start should stay longer. */
  idleSeconds?: number
  /**
   * Timeout of one task in seconds. The time starts when a thread is available for the task. If the thread has to start
   * first, the task has more time.
   */
  seconds: number
  megabytes: number
  /** Maximum number of tasks that wait for a thread. Default: 1,000. */
  waiting?: number
  /**
   * True to finish the task in progress if its caller aborts. Its caller does not wait for it. Use this for short tasks
   * in threads that load much at the start, because an aborted task ends its thread. Default: false.
   */
  finishesAborted?: boolean
  /** Limits per owner: number of threads used at the same time, and number of waiting tasks. Default: no limit. */
  ofOne?: { threads: number; waiting: number }
}

/**
 * Thrown if a task exceeded a limit: time, memory or the number of waiting tasks. `share` means the limit of waiting
 * tasks of its owner.
 */
export class ThreadLimitError extends Error {
  override name = 'ThreadLimitError'
  readonly limit: 'time' | 'memory' | 'waiting' | 'share'

  constructor(limit: ThreadLimitError['limit'], message: string) {
    super(message)
    this.limit = limit
  }
}

/** A pool of threads for expensive work. Processing untrusted data in a thread cannot block the event loop. */
export interface ThreadPool<Work extends (given: never) => unknown> {
  /** Runs a task for an owner. Rejects with `ThreadLimitError`, the error of the task, or the signal’s reason. */
  run(given: Parameters<Work>[0], signal?: AbortSignal, owner?: string): Promise<Awaited<ReturnType<Work>>>
  close(): Promise<void>
}

const defaultIdleSeconds = 10

/** Additional time in milliseconds for a task whose thread has to start, because a busy machine starts it slowly. */
const startMs = 4_000

/**
 * Creates a pool of threads that run the export `work` of a module. Arguments and results are cloned. A thread has no
 * environment variables, so an exploited parser cannot read secrets. The module should import only what the work needs.
 */
export function threadPool<Work extends (given: never) => unknown>(
  module: URL,
  limits: ThreadLimits,
): ThreadPool<Work> {
  const { threads, seconds, megabytes, waiting = 1_000, ofOne, finishesAborted = false } = limits
  const slots = createFairSlots({
    slots: threads,
    slotsOfOne: ofOne?.threads ?? threads,
    waiting,
    ...(ofOne && { waitingOfOne: ofOne.waiting }),
  })
  let opened: Promise<Piscina> | undefined
  let running = 0
  /** Ends the tasks whose thread has to start. */
  const starting = new Set<(error: unknown) => void>()

  async function open(): Promise<Piscina> {
    const { Piscina } = await import('piscina')
    const pool = new Piscina({
      filename: module.href,
      name: 'work',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: (limits.idleSeconds ?? defaultIdleSeconds) * 1_000,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: Math.min(megabytes, 32) },
    })
    // A thread failed while it started, or without a task. The event would end the process if nothing listened to it.
    pool.on('error', (error) => {
      log.warn({ err: describe(error), module: module.pathname }, 'a thread failed')
      for (const fail of [...starting]) fail(error)
    })
    return pool
  }

  /** Waits until a thread is available, because the timeout must not include this waiting time. */
  async function slot(owner: string, signal: AbortSignal | undefined): Promise<Disposable> {
    try {
      return await slots.take(owner, signal)
    } catch (error) {
      if (error instanceof ShareUsedUpError)
        throw new ThreadLimitError('share', 'Too many tasks of this owner are waiting for a thread.')
      throw error instanceof NoSlotError
        ? new ThreadLimitError('waiting', 'Too many tasks are waiting for a thread.')
        : error
    }
  }

  async function runInSlot(taken: Disposable, given: Parameters<Work>[0], signal: AbortSignal | undefined) {
    using _ = taken
    opened ??= open()
    const pool = await opened
    const late = new AbortController()
    running++
    const mustStart = running > pool.threads.length
    const fail = (error: unknown) => late.abort(error)
    if (mustStart) starting.add(fail)
    const tooLate = () => fail(new ThreadLimitError('time', `Processing took more than ${seconds} s.`))
    const timer = setTimeout(tooLate, seconds * 1_000 + (mustStart ? startMs : 0))
    try {
      const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal
      return await pool.run(given, { signal: either })
    } catch (thrown) {
      signal?.throwIfAborted()
      const error = late.signal.aborted ? late.signal.reason : thrown
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new ThreadLimitError('memory', `Processing used more than ${megabytes} MB.`)
      throw error
    } finally {
      running--
      starting.delete(fail)
      clearTimeout(timer)
    }
  }

  async function run(given: Parameters<Work>[0], signal?: AbortSignal, owner = ''): Promise<Awaited<ReturnType<Work>>> {
    signal?.throwIfAborted()
    const taken = await slot(owner, signal)
    if (!finishesAborted || !signal) return await runInSlot(taken, given, signal)
    return await beforeAbort(runInSlot(taken, given, undefined), signal)
  }

  return {
    run,
    async close() {
      const pool = await opened
      opened = undefined
      await pool?.destroy()
    },
  }
}

/** Returns the result, or rejects with the signal’s reason as soon as it is aborted. */
async function beforeAbort<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([result, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
