import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { importFeed } from '../import.ts'

/** Has a feed imported now, once however often it is asked for while it waits; returns the run's id. */
export const scheduleImport = (tx: Db, feedId: number, anyway = false): Promise<string> =>
  enqueue(tx, importFeed, { feedId, anyway }, { key: `trust/import:${feedId}` })
