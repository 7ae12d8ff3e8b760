import { createFairSlots } from '#lib/slots.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import type { work } from './meta-refresh-thread.ts'

export interface MetaRefreshReader {
  /** Returns the redirect of a web page, or undefined if it has none or is too expensive to read. */
  metaRefresh(html: string, orgId: string): Promise<string | undefined>
  close(): Promise<void>
}

/**
 * Creates a reader. Web pages that can contain a redirect are read in a thread, which starts with the first such page.
 */
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
        if (error instanceof ThreadLimitError && error.limit !== 'waiting') return undefined
        throw error
      }
    },
    close: () => threads.close(),
  }
}
