import { Worker } from 'node:worker_threads'
import { Permanent } from '#lib/errors.ts'
import { type Comparison, type FaceEngine, imageNames } from '#tasks/identity/face-engine.ts'
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

/** What the thread answers. */
export type Answer = { comparison: Comparison } | { failed: string }

/** The engine: its thread starts with the first comparison, and again when it was ended or has died. */
export function createFaceEngine(): FaceEngine & { close(): Promise<void> } {
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined

  const end = async () => {
    const ending = thread
    thread = undefined
    clearTimeout(idle)
    await ending?.terminate()
  }
  const start = () => {
    const started = new Worker(new URL('./thread.ts', import.meta.url), {
      name: engineName,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    started.once('exit', () => {
      if (thread === started) thread = undefined
    })
    // Who waits for an answer hears of it, too.
    started.on('error', () => {})
    return started
  }

  async function compare(images: Question['images'], signal: AbortSignal): Promise<Comparison> {
    signal.throwIfAborted()
    clearTimeout(idle)
    thread ??= start()
    const used = thread
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const died = (error?: unknown) => reject(new Permanent('The face engine died of these pictures.', { cause: error }))
    const aborted = () => reject(signal.reason)
    used.once('message', resolve).once('error', died).once('exit', died)
    signal.addEventListener('abort', aborted, { once: true })
    try {
      used.postMessage(
        { images } satisfies Question,
        imageNames.map((name) => images[name].buffer),
      )
      const answer = await promise
      if ('failed' in answer) throw new Permanent(`The face engine failed: ${answer.failed}`)
      return answer.comparison
    } catch (error) {
      // What it still works at, nobody waits for.
      if (signal.aborted) await end()
      throw error
    } finally {
      signal.removeEventListener('abort', aborted)
      used.off('message', resolve).off('error', died).off('exit', died)
      idle = setTimeout(() => void end(), idleMs).unref()
    }
  }

  return {
    compare: (images, signal) => atWork(engineName, () => compare(images, signal)),
    close: end,
  }
}
