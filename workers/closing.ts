import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'

/** Something that is closed, by its name in the log. */
export type ClosingStep = readonly [name: string, close: () => unknown]

/**
 * Runs all steps one after the other, each whatever became of those before it: a socket that cannot be closed must not keep
 * the last metrics, spans and statements from going out. Logs each failure and answers the names of the steps that failed.
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

/** Closes several things at once and waits for all of them, whatever becomes of the others; fails where one did. */
export async function closeTogether(closes: readonly (() => Promise<unknown>)[]): Promise<void> {
  const ended = await Promise.allSettled(closes.map(async (close) => await close()))
  const failed = ended.filter((end) => end.status === 'rejected').map(({ reason }) => reason)
  if (failed.length === 1) throw failed[0]
  if (failed.length > 1) throw new AggregateError(failed, failed.map(describe).join('; '))
}
