import type { OutboundClient } from '#lib/http.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DocumentReader } from '../bots/engine.ts'
import type { OpenBucket } from '../files/rules/open-bucket.ts'
import { pool } from '../queue/pool.ts'
import type { Scratch } from '../video/pools.ts'
import type { PageReader } from './engine.ts'

interface WebTools {
  outbound: OutboundClient
  /** Reads web pages in threads with limited time and memory. */
  pages: PageReader
  documents: DocumentReader
  metaRefresh(html: string, orgId: string): Promise<string | undefined>
  openBucket: OpenBucket
  storage: Storage
  /** Temporary folders for files that are too large for memory or read by external commands. */
  scratch: Pick<Scratch, 'attempt'>
}

export const web = pool<WebTools>()('web', { fetchAhead: 0 })
