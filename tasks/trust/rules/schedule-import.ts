import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { importFeed } from '../import.ts'

/** Enqueues an import of a feed, only once while it waits. Returns the run’s ID. */
export const scheduleImport = (tx: Db, feedId: number, anyway = false): Promise<string> =>
  enqueue(tx, importFeed, { feedId, anyway }, { key: `trust/import:${feedId}` })
