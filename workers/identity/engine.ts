import { Worker } from 'node:worker_threads'
import { Permanent } from '#lib/errors.ts'
import type { Comparison, Examination, ExaminedImages, FaceEngine } from '#tasks/identity/engine.ts'
import { countActive } from '../runtime/gauges.ts'

export const engineName = 'face-api'

/** Time without work in milliseconds after which the thread exits. Its models use half a gigabyte. */
const idleMs = 5 * 60_000

/** Maximum size of the JavaScript heap in megabytes. Pixels and models are outside the heap. */
const heapMb = 256

export type Question = { compare: Parameters<FaceEngine['compare']>[0] } | { examine: ExaminedImages }

export type Answer = { comparison: Comparison } | { examination: Examination } | { failed: string }

export const listImages = (question: Question): Uint8Array<ArrayBuffer>[] =>
  'compare' in question ? Object.values(question.compare) : [question.examine.document, ...question.examine.frames]

export type LoadedMessage = 'loaded'

interface Thread {
  worker: Worker
  loading: Promise<void>
}

/** Creates the engine. Its thread starts with the first comparison, and again after the thread exited or crashed. */
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
    // The caller that waits for the response also receives the error.
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

  // Answers one question at a time, like the jobs of the pool. Responses of the thread have no IDs.
  async function ask(question: Question, signal: AbortSignal): Promise<Exclude<Answer, { failed: string }>> {
    const images = listImages(question)
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
      // A starting thread outlasts its first caller. If loading takes longer than a comparison, the next caller uses
      // the thread.
      await Promise.race([loading, promise])
      asked = true
      worker.once('message', resolve).postMessage(
        question,
        images.map(({ buffer }) => buffer),
      )
      const answer = await promise
      if ('failed' in answer) throw new Permanent(`The face engine failed: ${answer.failed}`)
      return answer
    } catch (error) {
      // No caller waits for the current work, so the thread is ended.
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
    async compare(images, signal) {
      const answer = await countActive(engineName, () => ask({ compare: images }, signal))
      if ('comparison' in answer) return answer.comparison
      throw new Permanent('The face engine answered another question.')
    },
    async examine(images, signal) {
      const answer = await countActive(engineName, () => ask({ examine: images }, signal))
      if ('examination' in answer) return answer.examination
      throw new Permanent('The face engine answered another question.')
    },
    close: end,
  }
}

function overwrite(images: readonly Uint8Array[]): void {
  for (const image of images) image.fill(0)
}
