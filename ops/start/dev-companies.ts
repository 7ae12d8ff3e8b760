import { createReadStream } from 'node:fs'
import { newId } from '#lib/ids.ts'
import { openPool } from '#sql/db.ts'
import * as registers from '#sql/erp/registers.ts'
import { replaceCompanies } from '#tasks/erp/rules/replace-companies.ts'

/** The seeded register. Its country codes are not assigned in ISO 3166. */
const register = 'Made-up companies'

/** Fills the register of made-up companies for searches. Does not change an existing register. */
export async function seedCompanies(databaseUrl: string): Promise<void> {
  const db = await openPool(databaseUrl, 1)
  try {
    if ((await registers.list(db)).some(({ name }) => name === register)) return
    await replaceCompanies(db, {
      importId: newId(),
      profile: 'generic',
      register,
      own: db.transaction.bind(db),
      options: { licence: 'None: these companies do not exist', partial: false, anyway: false },
      bytes: createReadStream(new URL('companies.csv', import.meta.url)),
    })
  } finally {
    await db.end()
  }
}
