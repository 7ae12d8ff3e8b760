import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { leaseMs } from '#tasks/trust/rules/known-everywhere.ts'

const answerMs = 5_000

/** Shows whether the data in memory is current. */
export interface Lease {
  /** True if there is a recent confirmation. If there is none, requests one in the background. */
  holds(): boolean
  close(): Promise<void>
}

/** Runs `confirm` while data is needed. A successful confirmation is valid from the time of its call. */
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
      // The next confirmation starts early, so that the lease stays valid even if the response is slow.
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
