import { sql } from '../db.ts'
import { deleted, type PersonTable, texts } from '../people/person-table.ts'

/** Tables of verify with rows of people. A code of a deleted verification is no longer valid. */
export const personTables: readonly PersonTable[] = [
  deleted(
    'verify',
    'verifications',
    ({ org_id, user_id, emails, phones }) => sql.fragment`
      old.org_id = ${org_id} and (old.user_id = ${user_id} or old.recipient = any(${texts([...emails, ...phones])}))`,
  ),
]
