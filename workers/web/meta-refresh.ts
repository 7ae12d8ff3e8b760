import { createFairSlots } from '#lib/fair-slots.ts'
import { ThreadLimit, threadPool } from '#lib/threads.ts'
import type { work } from './meta-refresh-thread.ts'

/** Finds out where pages lead on by themselves. */
export interface MetaRefreshReader {
  /** Where the head of a page leads on; undefined when it does not, or the page is too costly to be read. */
  metaRefresh(html: string, orgId: string): Promise<string | undefined>
  close(): Promise<void>
}

/** Makes a reader; pages that may lead on are read in a thread, which starts with the first of them. */
export function createMetaRefreshReader(): MetaRefreshReader {
  const limits = { threads: 2, seconds: 5, megabytes: 128 }
  const slots = createFairSlots({ slots: limits.threads, slotsOfOne: 1 })
  const threads = threadPool<typeof work>(new URL('./meta-refresh-thread.ts', import.meta.url), limits)
  return {
    async metaRefresh(html, orgId) {
      if (!/http-equiv/i.test(html)) return undefined
      using _ = await slots.take(orgId)
      try {
        return await threads.run(html)
      } catch (error) {
        if (error instanceof ThreadLimit && error.limit !== 'waiting') return undefined
        throw error
      }
    },
    close: () => threads.close(),
  }
}
