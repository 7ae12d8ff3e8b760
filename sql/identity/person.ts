import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import type { Erased, PersonTable } from '../people/person-table.ts'

/** Deletes rows of a table with the documents that the person uploaded. */
const withFiles =
  (table: 'checks' | 'face_checks' | 'prompts' | 'readings') =>
  async (tx: Db, { org_id, user_id }: PersonKeys, limit: number): Promise<Erased> => {
    const name = sql.identifier(['identity', table])
    const gone = await tx.any(sql.type(z.object({ object_id: Id.nullable() }))`
      delete from ${name} where id = any(array(
        select old.id from ${name} as old where old.org_id = ${org_id} and old.subject = ${user_id} limit ${limit} for update))
      returning object_id`)
    return { rows: gone.length, files: gone.flatMap(({ object_id }) => object_id ?? []) }
  }

/** Tables of identity with rows of people. The subject at the identity provider is the ID of the person. */
export const personTables: readonly PersonTable[] = [
  { name: 'identity.prompts', action: 'deleted', erase: withFiles('prompts') },
  { name: 'identity.readings', action: 'deleted', erase: withFiles('readings') },
  { name: 'identity.face_checks', action: 'deleted', erase: withFiles('face_checks') },
  { name: 'identity.checks', action: 'deleted', erase: withFiles('checks') },
]
