import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { newId } from '#lib/ids.ts'
import { openPool } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import * as registers from '#sql/erp/registers.ts'
import { replaceCompanies } from '#tasks/erp/rules/replace-companies.ts'

/** The seeded register. Its country codes are not assigned in ISO 3166. */
const register = 'Made-up companies'

/** Fills the register of made-up companies for searches. Does not change an existing register. */
export async function seedCompanies(databaseUrl: string): Promise<void> {
  const db = await openPool(databaseUrl, 1)
  try {
    if ((await registers.list(db)).some(({ name }) => name === register)) return
    const file = new URL('companies.csv', import.meta.url)
    const { size: bytes } = await stat(file)
    const about = {
      profile: 'generic',
      register,
      options: { licence: 'None: these companies do not exist', partial: false, anyway: false },
    } as const
    const id = newId()
    await replaceCompanies(db, {
      ...about,
      importId: id,
      own: db.transaction.bind(db),
      bytes: createReadStream(file),
      async finish(tx, outcome) {
        await imports.insert(tx, {
          id,
          ...about,
          object_key: null,
          file_name: 'companies.csv',
          bytes,
          actor: 'npm start',
        })
        await imports.finish(tx, id, outcome)
      },
    })
  } finally {
    await db.end()
  }
}
