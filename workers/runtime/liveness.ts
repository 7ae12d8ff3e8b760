import { hostname } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { PoolName } from '#tasks/pools.ts'
import { Pulse, sharedPulse } from './pulse.ts'

/** One pool's worker as it registers: it locks jobs as `lockedBy`, runs `concurrency` at once, has a scratch disk of `scratch` bytes. */
export interface NewWorker {
  id: string
  pool: PoolName
  lockedBy: string
  concurrency: number
  scratch?: number | undefined
}

/** A process's lease on all that its workers hold; a thread of its own renews it, however busy the event loop is. */
export interface Liveness {
  /** Registers a worker; nothing may be fetched before this resolves. */
  register(worker: NewWorker): Promise<void>
  /** Whether what this process has taken is its own, by its own clock: after a freeze it is not, even before the next beat. */
  holds(): boolean
  /** Takes part again after the event loop had stalled for a lease: to be called once nothing is done any more of what was open to others. */
  resume(): Promise<void>
  /** Signs off: what the workers still hold is released at once and blames nobody. Without a lease it ends the thread alone. */
  leave(): Promise<void>
}

/** What a process is told of its lease. */
export interface LivenessEvents {
  /** Called once, when others may have what this process held: it must end. */
  lost(why: string): void
  /** The event loop goes on after it had stalled for longer than the lease; what was held is open to others. */
  fenced?(): void
}

/** A request to the thread; each is answered by its number. */
export type Request =
  | { register: NewWorker & { host: string; pid: number } }
  | { open: true }
  | { resume: true }
  | { leave: true }

/** What the thread tells. */
export type ThreadMessage = { lost: string } | { fenced: true } | { answered: number; error?: string }

/** What the thread is made with. */
export interface ThreadData {
  databaseUrl: string
  /** Milliseconds. */
  lease: number
  pulse: SharedArrayBuffer
}

/** How often the event loop says that it goes on, in milliseconds. */
const tickMs = 100

/**
 * Opens the thread, with a session of its own that holds one advisory lock for each worker, and beats every `lease`/10 milliseconds.
 * While Postgres is away it tries again until the lease has run out: then it rejects.
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
    if (left) throw new Error('This process has no lease any more.')
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
  thread.on('error', (error) => lose(`the thread that beats failed: ${error.message}`))
  thread.on('exit', () => lose('the thread that beats ended'))
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
