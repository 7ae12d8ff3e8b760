import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { randomText } from '#lib/tokens.ts'
import * as exports from '#sql/account/exports.ts'
import { task } from '../queue/task.ts'
import { exportKey } from './rules/archive-keys.ts'
import { writeArchive } from './rules/write-archive.ts'

export const exportAll = task({
  name: 'account/export',
  pool: 'core',
  payload: z.object({ exportId: Id }),
  attempts: 3,
  timeout: 60 * 60_000,
  async run({ exportId }, { db, storage, signal }) {
    const wanted = await exports.findAny(db, exportId)
    if (wanted?.state !== 'waiting') return
    const folder = await mkdtemp(join(tmpdir(), 'millrace-export-'))
    try {
      const path = join(folder, 'archive.zip')
      const counts = await writeArchive(path, wanted.org_id, { db, storage, signal })
      const key = exportKey(wanted.org_id, exportId, randomText())
      await storage.upload(path, key, { contentType: 'application/zip', signal })
      const { size } = await stat(path)
      if (!(await exports.setReady(db, exportId, { key, bytes: size, counts }))) await storage.remove(key, signal)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
  async giveUp({ exportId }, _, { db }) {
    await exports.setFailed(db, exportId, 'The archive could not be created. Request another archive.')
  },
})
