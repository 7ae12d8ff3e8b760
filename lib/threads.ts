import type { Piscina } from 'piscina'
import { createFairSlots, NoShare } from './fair-slots.ts'
import { NoSlot } from './slots.ts'

/** What work in threads may take. */
export interface ThreadLimits {
  /** Threads at most; none is there before there is work, and each ends when it has had none for ten seconds. */
  threads: number
  /** How long one piece of work may take, from when a thread is free for it. */
  seconds: number
  /** Script objects of a thread, in megabytes. */
  megabytes: number
  /** Pieces of work that wait for a thread at most; 1,000 by default. */
  waiting?: number
  /** What one owner has at most: threads at the same time, and pieces of work that wait. By default there is no such limit. */
  ofOne?: { threads: number; waiting: number }
}

/** A piece of work was more than its limits allow: it took too long, or too much memory, or too many wait already (`share`: of its owner). */
export class ThreadLimit extends Error {
  override name = 'ThreadLimit'
  readonly limit: 'time' | 'memory' | 'waiting' | 'share'

  constructor(limit: ThreadLimit['limit'], message: string) {
    super(message)
    this.limit = limit
  }
}

/** Threads that do what is costly by nature, so that no bytes of a stranger hold an event loop. */
export interface ThreadPool<Work extends (given: never) => unknown> {
  /** Does a piece of work for an owner; rejects with `ThreadLimit`, with what the work throws, or with the signal's reason. */
  run(given: Parameters<Work>[0], signal?: AbortSignal, owner?: string): Promise<Awaited<ReturnType<Work>>>
  /** Ends all threads; what is under way rejects. */
  close(): Promise<void>
}

const idleMs = 10_000

/**
 * Makes threads that run the export `work` of a module; both what it is given and what it returns are cloned. A thread has no
 * environment, so that what breaks out of a parser finds no secret in it, and its module should import no more than the work needs.
 */
export function threadPool<Work extends (given: never) => unknown>(
  module: URL,
  limits: ThreadLimits,
): ThreadPool<Work> {
  const { threads, seconds, megabytes, waiting = 1_000, ofOne } = limits
  const slots = createFairSlots({
    slots: threads,
    slotsOfOne: ofOne?.threads ?? threads,
    waiting,
    ...(ofOne && { waitingOfOne: ofOne.waiting }),
  })
  let opened: Promise<Piscina> | undefined

  async function open(): Promise<Piscina> {
    // Neither the library nor a thread costs anything before there is work.
    const { Piscina } = await import('piscina')
    return new Piscina({
      filename: module.href,
      name: 'work',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idleMs,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: Math.min(megabytes, 32) },
    })
  }

  /** Waits until less than all threads are taken: the time of what waits must not run. */
  async function slot(owner: string, signal: AbortSignal | undefined): Promise<Disposable> {
    try {
      return await slots.take(owner, signal)
    } catch (error) {
      if (error instanceof NoShare) throw new ThreadLimit('share', 'Too much of this owner waits for a thread.')
      throw error instanceof NoSlot ? new ThreadLimit('waiting', 'Too much waits for a thread.') : error
    }
  }

  return {
    async run(given, signal, owner = '') {
      signal?.throwIfAborted()
      using _ = await slot(owner, signal)
      opened ??= open()
      const pool = await opened
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), seconds * 1_000)
      try {
        const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal
        return await pool.run(given, { signal: either })
      } catch (error) {
        signal?.throwIfAborted()
        if (late.signal.aborted) throw new ThreadLimit('time', `It takes more than ${seconds} s.`)
        if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
          throw new ThreadLimit('memory', `It takes more than ${megabytes} MB.`)
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
    async close() {
      const pool = await opened
      opened = undefined
      await pool?.destroy()
    },
  }
}
