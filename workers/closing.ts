import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'

export type ClosingStep = readonly [name: string, close: () => unknown]

/**
 * Runs all steps in order, even after a step fails. A socket that cannot be closed must not prevent the last metrics,
 * spans and statements. Logs each failure. Returns the names of the failed steps.
 */
export async function closeAll(steps: readonly ClosingStep[]): Promise<string[]> {
  const failed: string[] = []
  for (const [name, close] of steps) {
    try {
      await close()
    } catch (error) {
      failed.push(name)
      log.error({ err: error, step: name }, `closing failed: ${name}`)
    }
  }
  return failed
}

export async function closeTogether(closes: readonly (() => Promise<unknown>)[]): Promise<void> {
  const ended = await Promise.allSettled(closes.map(async (close) => await close()))
  const failed = ended.filter((end) => end.status === 'rejected').map(({ reason }) => reason)
  if (failed.length === 1) throw failed[0]
  if (failed.length > 1) throw new AggregateError(failed, failed.map(describe).join('; '))
}
