import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { LanguageEngineError } from '#tasks/ai/language-engine.ts'
import type { Work, works } from './works.ts'

/** Threads at most, each begun with the first work that finds no free one. */
const mostThreads = Math.min(4, Math.max(1, availableParallelism() - 1))
/** The largest text takes about a second (measured); what takes so much longer has met a fault of ours. */
const patienceMs = 30_000
const memoryMb = 256

type Request<W extends Work> = Parameters<(typeof works)[W]>[0]
type Reply<W extends Work> = ReturnType<(typeof works)[W]>

/** The threads of the embedded engine, so that its work holds up no job of the process. */
export interface Threads {
  /** Does one work; an aborted one ends at once, and its thread with it. */
  run<W extends Work>(work: W, request: Request<W>, signal: AbortSignal): Promise<Reply<W>>
  close(): Promise<void>
}

interface Waiting {
  message: { work: Work; request: unknown }
  signal: AbortSignal
  resolve(reply: unknown): void
  reject(error: unknown): void
}

/** Makes the threads; none is begun before there is work. */
export function createThreads(): Threads {
  const queue: Waiting[] = []
  const free: Worker[] = []
  const all = new Set<Worker>()
  let closed = false

  function next(): void {
    while (queue.length > 0 && (free.length > 0 || all.size < mostThreads)) {
      const waiting = queue.shift() as Waiting
      if (waiting.signal.aborted) waiting.reject(waiting.signal.reason)
      else begin(free.pop() ?? start(), waiting)
    }
  }

  function start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    })
    all.add(thread)
    thread.once('exit', () => all.delete(thread))
    return thread
  }

  function begin(thread: Worker, { message, signal, resolve, reject }: Waiting): void {
    const over = () => {
      clearTimeout(late)
      signal.removeEventListener('abort', onAbort)
      thread.removeAllListeners('message').removeAllListeners('error')
    }
    const discard = (error: unknown) => {
      over()
      // What a thread throws while it is being ended has nobody to hear it.
      thread.on('error', () => {})
      all.delete(thread)
      void thread.terminate()
      reject(error)
      next()
    }
    const onAbort = () => discard(signal.reason)
    const late = setTimeout(() => discard(failed(`took longer than ${patienceMs} ms`)), patienceMs)
    signal.addEventListener('abort', onAbort, { once: true })
    thread.once('error', (error) => discard(failed('failed', error)))
    thread.once('message', (reply) => {
      over()
      // A thread without work keeps no process alive.
      thread.unref()
      free.push(thread)
      resolve(reply)
      next()
    })
    thread.ref()
    thread.postMessage(message)
  }

  return {
    run<W extends Work>(work: W, request: Request<W>, signal: AbortSignal): Promise<Reply<W>> {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      if (closed) reject(failed('is closed'))
      else queue.push({ message: { work, request }, signal, resolve, reject })
      next()
      return promise as Promise<Reply<W>>
    },
    async close() {
      closed = true
      for (const { reject } of queue.splice(0)) reject(failed('is closed'))
      await Promise.all([...all].map((thread) => thread.terminate()))
    },
  }
}

const failed = (what: string, cause?: unknown) =>
  Object.assign(
    new LanguageEngineError('upstream_error', `The embedded engine ${what}.`, { retryable: true, engine: 'embedded' }),
    { cause },
  )
