import type { Readable } from 'node:stream'
import { z } from 'zod'
import { Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { outsideText } from '#lib/outside-text.ts'
import * as imports from '#sql/erp/imports.ts'
import { task } from '../queue/task.ts'
import { ImportError } from './rules/import-error.ts'
import type { ProfileName } from './rules/profiles/index.ts'
import { replaceCompanies } from './rules/replace-companies.ts'

/** What of the work is reading the file; the rest is the exchange, which tells nothing until it is done. */
const reading = 0.7

/** Puts a file of companies in place of those that are known from its register; ends as rejected when it cannot be read. */
export const importCompanies = task({
  name: 'erp/import',
  pool: 'web',
  payload: z.object({ importId: Id }),
  tracked: true,
  attempts: 5,
  timeout: 60 * 60_000,
  async run({ importId }, { db, storage, signal, own, progress, log }) {
    const one = await imports.find(db, importId)
    if (!one || one.state === 'failed') return null
    if (one.state === 'waiting') {
      const file = one.object_key === null ? null : await storage.read(one.object_key, signal)
      if (file === null) throw new Rejected('Its file is not in the object storage any more.')
      try {
        const counts = await replaceCompanies(db, {
          importId,
          profile: one.profile as ProfileName,
          register: one.register,
          options: one.options,
          signal,
          own,
          bytes: counted(file, (bytes) => progress((reading * bytes) / Math.max(1, one.bytes))),
          finish: (tx, counts, faults) => imports.finish(tx, importId, counts, faults),
        })
        log.info({ register: one.register, ...counts }, 'companies are imported')
      } catch (error) {
        if (error instanceof ImportError) throw new Rejected(error.message)
        throw error
      } finally {
        file.destroy()
      }
    }
    if (one.object_key !== null) {
      await storage.remove(one.object_key, signal)
      await imports.forgetFile(db, importId)
    }
    return (await imports.find(db, importId))?.counts
  },
  async giveUp({ importId }, error, { db }) {
    await imports.fail(db, importId, outsideText(error.message, 500))
  },
  async revive({ importId }, { db }) {
    if (!(await imports.revive(db, importId))) throw new Rejected('Its file is not kept any more; import it again.')
  },
})

/** The bytes of a file; tells how many have been read. */
async function* counted(file: Readable, tell: (bytes: number) => void): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of file as AsyncIterable<Buffer>) {
    bytes += chunk.length
    tell(bytes)
    yield chunk
  }
}
