import { sql } from '../db.ts'
import { deleted, type PersonTable } from './person-table.ts'

/** Tables of people with rows of a person. */
export const personTables: readonly PersonTable[] = [
  deleted(
    'people',
    'consent_changes',
    ({ org_id, user_id }) => sql.fragment`old.org_id = ${org_id} and old.user_id = ${user_id}`,
  ),
]
