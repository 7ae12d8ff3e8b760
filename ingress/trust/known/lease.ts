import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { leaseMs } from '#tasks/trust/rules/known-everywhere.ts'

const answerMs = 5_000

/** Confirms that the data in memory is current. */
export interface Lease {
  /** True if a recent confirmation exists. Otherwise, starts one in the background. */
  holds(): boolean
  close(): Promise<void>
}

/** Runs `confirm` while data is needed. A successful result is valid from the time of the call. */
export function createLease(confirm: () => Promise<void>): Lease {
  const closing = new AbortController()
  let until = 0
  let nextFrom = 0
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    const begun = performance.now()
    const over = new AbortController()
    try {
      await Promise.race([confirm(), late(AbortSignal.any([closing.signal, over.signal]))])
      until = begun + leaseMs
      // Starts early enough that the lease holds even if the response takes most of its time.
      nextFrom = begun + leaseMs / 4
    } catch (error) {
      nextFrom = performance.now() + leaseMs
      if (!closing.signal.aborted)
        log.debug({ err: describe(error) }, 'could not check whether the cached feed data is current')
    } finally {
      over.abort()
    }
  }

  return {
    holds() {
      const now = performance.now()
      if (now >= nextFrom && !asking && !closing.signal.aborted) {
        asking = ask().finally(() => {
          asking = undefined
        })
      }
      return now < until
    },
    async close() {
      closing.abort()
      await asking
    },
  }
}

async function late(signal: AbortSignal): Promise<never> {
  await pause(answerMs, undefined, { signal, ref: false })
  throw new Error('The database did not respond in time.')
}
