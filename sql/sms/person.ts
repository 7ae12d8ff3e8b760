import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { type Erased, type PersonTable, texts } from '../people/person-table.ts'
import * as optOuts from './opt-outs.ts'

const hasPhone = ({ org_id, phones }: PersonKeys) => sql.fragment`
  old.org_id = ${org_id} and old.phone = any(${texts(phones)})`

/** Deletes messages in both directions. A message whose request is in progress is deleted later. */
async function deleteMessages(tx: Db, person: PersonKeys, limit: number): Promise<Erased> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from sms.messages where id = any(array(
      select old.id from sms.messages as old where ${hasPhone(person)} and old.status <> 'sending'
      order by old.id limit ${limit} for update))`)
  const isInUse = await tx.exists(sql.type(z.object({ id: Id }))`
    select old.id from sms.messages as old where ${hasPhone(person)} and old.status = 'sending'`)
  return { rows: rowCount, isInUse }
}

/** Tables of SMS with rows of people. The opt-outs are first, so that they apply meanwhile. */
export const personTables: readonly PersonTable[] = [
  {
    name: 'sms.opt_outs',
    action: 'kept',
    why: 'Hash of each phone number that has opted out, so that no text message is sent to it again.',
    erase: async (tx, { org_id, phones }) => ({ rows: await optOuts.keepHashes(tx, org_id, phones) }),
  },
  { name: 'sms.messages', action: 'deleted', with: ['sms.statuses'], erase: deleteMessages },
]
