import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import type { Validators } from '#sql/sources/schedule.ts'
import type { Feed } from '#sql/trust/feeds.ts'
import * as staging from '#sql/trust/staging.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { SourceError } from '../../sources/rules/source-error.ts'
import { watch } from '../watch.ts'
import type { Lines } from './formats.ts'
import { waitForCaches } from './known-everywhere.ts'

const batch = 5_000

export interface ReplaceOptions {
  /** Runs short writes while the attempt owns its job. */
  own<T>(work: (tx: Db) => Promise<T>): Promise<T>
  signal?: AbortSignal
  validators?: Validators
  /** Allows the loss of more than half of the entries. */
  anyway?: boolean
}

export interface ImportResult {
  entries: number
  leftOut: number
}

/**
 * Replaces a feed’s entries. New entries are staged in batches and then exchanged in one transaction. Readers see
 * either the old or the new feed. If the process is killed, they see the old feed. When the call returns, all processes
 * use the new feed. Throws `SourceError`.
 */
export async function replaceEntries(
  db: Db,
  feed: Pick<Feed, 'id'>,
  lines: Lines,
  { own, signal, validators = { etag: null, last_modified: null }, anyway = false }: ReplaceOptions,
): Promise<ImportResult> {
  const importId = newId()
  let [leftOut, staged] = [0, 0]
  let read: staging.StagedEntry[] = []
  const flush = async () => {
    signal?.throwIfAborted()
    if (read.length === 0) return
    await staging.addStaged(db, importId, feed.id, read)
    staged += read.length
    read = []
  }
  await staging.discardStaged(db, feed.id)
  for await (const line of lines) {
    if (line === null) leftOut++
    else if (read.push(line) >= batch) await flush()
  }
  await flush()
  if (staged === 0 && !anyway) throw new SourceError('The feed is empty: none of its lines is a URL or a host.')
  try {
    const exchanging = { feedId: feed.id, staged, leftOut, validators, anyway }
    const entries = await own((tx) => exchange(tx, importId, exchanging))
    await waitForCaches()
    return { entries, leftOut }
  } catch (error) {
    if (error instanceof staging.ShrunkFeedError) throw new SourceError(`${error.message} The old entries are kept.`)
    throw error
  }
}

/** Watched URLs are checked with the new entries. */
async function exchange(tx: Db, importId: string, exchanging: staging.Exchange): Promise<number> {
  const entries = await staging.exchangeEntries(tx, importId, exchanging)
  await enqueue(tx, watch, {}, { key: 'trust/watch' })
  return entries
}
