import { createReadStream } from 'node:fs'
import type { DatabasePool } from '#sql/db.ts'
import type { Feed } from '#sql/trust/feeds.ts'
import { readFeed } from './formats.ts'
import { type ImportResult, replaceEntries } from './replace-entries.ts'

/**
 * Replaces a feed’s entries with those of a file. `anyway` allows the loss of more than half of them. Throws
 * `SourceError`.
 */
export async function importFile(db: DatabasePool, feed: Feed, path: string, anyway = false): Promise<ImportResult> {
  const own = db.transaction.bind(db)
  return await replaceEntries(db, feed, readFeed(feed, createReadStream(path)), { own, anyway })
}
