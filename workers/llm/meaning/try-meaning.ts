import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'

/**
 * Runs work of the sentence model. Returns undefined if the model fails or takes more than `patienceMs` milliseconds, so
 * that only words are compared. Throws only the signal’s reason.
 */
export async function tryMeaning<T>(
  work: (signal: AbortSignal) => Promise<T>,
  patienceMs: number,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await work(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]))
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: describe(error) }, 'the sentence model gave no vectors: only words are compared')
    return undefined
  }
}
