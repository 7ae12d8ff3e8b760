import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import type { FileObject } from '#sql/files/objects.ts'
import * as scans from '#sql/files/scans.ts'
import { task } from '../queue/task.ts'
import { ScannerUnavailableError } from './engine.ts'
import { enqueueScan } from './scan.ts'

/**
 * Maximum number of these scans that wait or run. It is enough for a minute, and lower than the number that any plan
 * allows to wait.
 */
const mostOpen = 500

/** Runs after all scans for which a person waits. */
const lastPriority = 900

export const rescan = task({
  name: 'files/rescan',
  pool: 'scan',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db, scanner, signal }) {
    const room = mostOpen - (await scans.countOpenFor(db, 'signatures'))
    if (room <= 0) return
    const now = await scanner.versions(signal).catch((error) => {
      throw error instanceof ScannerUnavailableError ? new Later(30_000, error.message) : error
    })
    const outdated = await scans.listOutdated(db, now, room)
    for (const object of outdated) await db.transaction((tx) => ask(tx, object))
  },
})

/** A clean object stays available until its new verdict. Other objects wait for the verdict like a new upload. */
async function ask(tx: Db, object: FileObject): Promise<void> {
  const { scan, opened } = await scans.open(tx, object, 'signatures')
  if (!opened) return
  if (object.scan_status !== 'clean') await scans.setPending(tx, object.id, scan.id)
  await enqueueScan(tx, scan, lastPriority)
}
