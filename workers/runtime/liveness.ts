import { hostname } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { PoolName } from '#tasks/pools.ts'
import { Pulse, sharedPulse } from './pulse.ts'

/**
 * A worker to register. It locks jobs as `lockedBy`, runs `concurrency` jobs at the same time, and has a scratch disk
 * of `scratch` bytes.
 */
export interface NewWorker {
  id: string
  pool: PoolName
  lockedBy: string
  concurrency: number
  scratch?: number | undefined
}

/** A process’s lease on all resources of its workers. A separate thread renews it, regardless of the event loop. */
export interface Liveness {
  /** Registers a worker. The worker must not fetch jobs before this resolves. */
  register(worker: NewWorker): Promise<void>
  /**
   * True if this process still owns its jobs according to its clock. False after a freeze, even before the next
   * heartbeat.
   */
  holds(): boolean
  /**
   * Resumes after the event loop stalled for longer than a lease. Call it when all attempts that lost their ownership
   * have ended.
   */
  resume(): Promise<void>
  /**
   * Signs off: releases the workers’ jobs immediately, without counting an attempt. If there is no lease, only ends the
   * thread.
   */
  leave(): Promise<void>
}

export interface LivenessEvents {
  /** Called once when other workers can own the jobs of this process. The process must exit. */
  lost(why: string): void
  /**
   * Called when the event loop continues after a stall longer than the lease. Other workers can have taken the jobs.
   */
  fenced?(): void
}

export type Request =
  | { register: NewWorker & { host: string; pid: number } }
  | { open: true }
  | { resume: true }
  | { leave: true }

export type ThreadMessage = { lost: string } | { fenced: true } | { answered: number; error?: string }

export interface ThreadData {
  databaseUrl: string
  /** Milliseconds. */
  lease: number
  pulse: SharedArrayBuffer
}

const tickMs = 100

/**
 * Opens the thread with a separate database session. The session holds one advisory lock per worker and sends a
 * heartbeat every `lease`/10 milliseconds. While Postgres is unavailable, it retries until the lease has expired. Then
 * it rejects.
 */
export async function openLiveness(databaseUrl: string, lease: number, events: LivenessEvents): Promise<Liveness> {
  const shared = sharedPulse()
  const pulse = new Pulse(shared)
  const data: ThreadData = { databaseUrl, lease, pulse: shared }
  const thread = new Worker(new URL('./liveness-thread.ts', import.meta.url), { workerData: data, execArgv: [] })
  const asked = new Map<number, PromiseWithResolvers<void>>()
  let number = 0
  let left = false

  const lose = (why: string) => {
    if (left) return
    left = true
    clearInterval(ticking)
    for (const { reject } of asked.values()) reject(new Error(why))
    asked.clear()
    events.lost(why)
  }
  const ask = async (request: Request) => {
    if (left) throw new Error('This process no longer has a lease.')
    const answer = Promise.withResolvers<void>()
    asked.set(++number, answer)
    thread.postMessage({ ...request, number })
    await answer.promise
  }
  const hear = (told: ThreadMessage) => {
    if ('lost' in told) return lose(told.lost)
    if ('fenced' in told) return events.fenced?.()
    const answer = asked.get(told.answered)
    asked.delete(told.answered)
    if (told.error === undefined) answer?.resolve()
    else answer?.reject(new Error(told.error))
  }
  thread.on('message', hear)
  thread.on('error', (error) => lose(`the heartbeat thread failed: ${error.message}`))
  thread.on('exit', () => lose('the heartbeat thread ended'))
  const ticking = setInterval(() => pulse.tick(tickMs), tickMs)
  pulse.tick(tickMs)
  try {
    await ask({ open: true })
  } catch (error) {
    await thread.terminate()
    throw error
  }

  return {
    register: (worker) => ask({ register: { ...worker, host: hostname(), pid: process.pid } }),
    holds: () => !pulse.isFenced && pulse.quietMs <= lease,
    resume: () => ask({ resume: true }),
    async leave() {
      if (left) return void (await thread.terminate())
      const leaving = ask({ leave: true })
      left = true
      clearInterval(ticking)
      await leaving.finally(() => thread.terminate())
    },
  }
}
