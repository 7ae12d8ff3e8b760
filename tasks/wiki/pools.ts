import type { OutboundClient } from '#lib/http.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DocumentReader } from '../bots/engine.ts'
import { pool } from '../queue/pool.ts'
import type { Scratch } from '../video/pools.ts'
import type { PageReader } from './engine.ts'

interface WebTools {
  /** Reaches addresses that customers gave, and feeds. */
  outbound: OutboundClient
  /** Reads pages, in threads that are bounded in time and memory. */
  pages: PageReader
  /** Reads documents that bots quote from. */
  documents: DocumentReader
  /** Where a page leads on by itself; undefined when it does not. */
  metaRefresh(html: string, orgId: string): Promise<string | undefined>
  storage: Storage
  /** Folders for what is too large for memory, or read by programs. */
  scratch: Pick<Scratch, 'attempt'>
}

/** Safe fetches from the web. */
export const web = pool<WebTools>()('web', { fetchAhead: 0 })
