import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as captionIndex from '#sql/video/caption-index.ts'
import * as captions from '#sql/video/captions.ts'
import { task } from '../queue/task.ts'
import { readCaptions } from './rules/captions/read-captions.ts'
import { storeCues } from './rules/captions/store-cues.ts'
import { cuesOfFile } from './rules/captions/transcript.ts'

const atOnce = 20

/** Stores the transcripts of captions of earlier releases, so that searches find their words. */
export const indexCaptions = task({
  name: 'video/index-captions',
  pool: 'core',
  payload: z.object({}),
  cron: '*/5 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db, storage, signal }) {
    let after: string | null = null
    do {
      const rows = await captionIndex.listNotIndexed(db, after, atOnce)
      for (const row of rows) {
        signal.throwIfAborted()
        await indexOne(row, db, storage).catch((error) => {
          log.warn({ err: describe(error), captions: row.id }, 'captions could not be indexed')
        })
      }
      after = rows.length === atOnce ? (rows.at(-1)?.id ?? null) : null
    } while (after)
  },
})

type NotIndexed = Awaited<ReturnType<typeof captionIndex.listNotIndexed>>[number]

/** Captions that cannot be read must not keep the following ones out of searches. */
async function indexOne(row: NotIndexed, db: DatabasePool, storage: Storage): Promise<void> {
  const cues = await readCues(db, storage, row)
  await db.transaction(async (tx) => {
    if (await captionIndex.lockNotIndexed(tx, row)) await storeCues(tx, row, cuesOfFile(cues))
  })
}

async function readCues(
  db: DatabasePool,
  storage: Storage,
  { asset_id, language }: { asset_id: string; language: string },
) {
  const body = await captions.findBody(db, asset_id, language)
  const stored = body === null ? await storage.read(captions.captionsKey(asset_id, language)) : null
  const contents = body ?? (stored ? await text(stored) : '')
  return contents.includes('-->') ? readCaptions(contents) : []
}
