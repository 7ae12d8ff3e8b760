import { Worker } from 'node:worker_threads'
import { Permanent } from '#lib/errors.ts'
import { type Comparison, type FaceEngine, imageNames } from '#tasks/identity/engine.ts'
import { atWork } from '../runtime/gauges.ts'

/** The engine as metrics name it. */
export const engineName = 'face-api'

/** A thread that has had nothing to do for so long ends, in milliseconds: its models take half a gigabyte. */
const idleMs = 5 * 60_000

/** Megabytes of script objects in the thread; pixels and models lie outside of them. */
const heapMb = 256

/** What the thread is sent. */
export interface Question {
  images: Parameters<FaceEngine['compare']>[0]
}

export type Answer = { comparison: Comparison } | { failed: string }

/** What the thread says first: its models are loaded. */
export type LoadedMessage = 'loaded'

interface Thread {
  worker: Worker
  loading: Promise<void>
}

/** The engine: its thread starts with the first comparison, and again when it was ended or has died. */
export function createFaceEngine(): FaceEngine & { close(): Promise<void> } {
  let thread: Thread | undefined
  let idle: NodeJS.Timeout | undefined

  const end = async () => {
    const ending = thread
    thread = undefined
    clearTimeout(idle)
    await ending?.worker.terminate()
  }
  const start = (): Thread => {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      name: engineName,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    worker.once('exit', () => {
      if (thread?.worker === worker) thread = undefined
    })
    // Who waits for an answer hears of it, too.
    worker.on('error', () => {})
    const loading = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve()).once('error', reject)
      worker.once('exit', () => reject(new Permanent('The face engine could not start.')))
    })
    loading.catch(() => {})
    return { worker, loading }
  }

  const rest = () => {
    clearTimeout(idle)
    idle = setTimeout(() => void end(), idleMs).unref()
  }

  async function ready(): Promise<void> {
    clearTimeout(idle)
    thread ??= start()
    await thread.loading.finally(rest)
  }

  // One question at a time, as the pool runs one job: the thread's answers have no names.
  async function compare(images: Question['images'], signal: AbortSignal): Promise<Comparison> {
    if (signal.aborted) {
      overwrite(images)
      throw signal.reason
    }
    clearTimeout(idle)
    thread ??= start()
    const { worker, loading } = thread
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const died = (error?: unknown) =>
      reject(new Permanent('The face engine crashed on these images.', { cause: error }))
    const aborted = () => reject(signal.reason)
    worker.once('error', died).once('exit', died)
    signal.addEventListener('abort', aborted, { once: true })
    let asked = false
    try {
      // A thread that comes up outlives who waits for it: where loading takes longer than a comparison may, the next one has it.
      await Promise.race([loading, promise])
      asked = true
      worker.once('message', resolve).postMessage(
        { images } satisfies Question,
        imageNames.map((name) => images[name].buffer),
      )
      const answer = await promise
      if ('failed' in answer) throw new Permanent(`The face engine failed: ${answer.failed}`)
      return answer.comparison
    } catch (error) {
      // What it still works at, nobody waits for.
      if (signal.aborted && asked) await end()
      if (!asked) overwrite(images)
      throw error
    } finally {
      signal.removeEventListener('abort', aborted)
      worker.off('message', resolve).off('error', died).off('exit', died)
      rest()
    }
  }

  return {
    ready,
    compare: (images, signal) => atWork(engineName, () => compare(images, signal)),
    close: end,
  }
}

function overwrite(images: Question['images']): void {
  for (const name of imageNames) images[name].fill(0)
}
