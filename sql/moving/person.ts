import { sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { deleted, type PersonTable, texts } from '../people/person-table.ts'

/** Condition for a row: an address of the person, or a device of the person. */
const isOf = ({ org_id, user_id, emails }: PersonKeys) => sql.fragment`
  old.org_id = ${org_id} and (old.label = any(${texts(emails)}) or old.user_id = ${user_id})`

export const personTables: readonly PersonTable[] = [deleted('moving', 'rows', isOf)]
