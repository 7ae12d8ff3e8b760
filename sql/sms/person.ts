import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { type Erased, type PersonTable, texts } from '../people/person-table.ts'

const hasPhone = ({ org_id, phones }: PersonKeys) => sql.fragment`
  old.org_id = ${org_id} and old.phone = any(${texts(phones)})`

const Row = z.object({ id: Id })

/** Deletes messages. A message whose request is in progress is deleted later. */
async function deleteMessages(tx: Db, person: PersonKeys, limit: number): Promise<Erased> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from sms.messages where id = any(array(
      select old.id from sms.messages as old where ${hasPhone(person)} and old.status <> 'sending'
      order by old.id limit ${limit} for update))`)
  const isInUse = await tx.exists(sql.type(Row)`
    select old.id from sms.messages as old where ${hasPhone(person)} and old.status = 'sending'`)
  return { rows: rowCount, isInUse }
}

/** Replaces the words of the person in opt-outs. The number stays, because it is what the opt-out is about. Counts once. */
async function keepOptOuts(tx: Db, person: PersonKeys): Promise<Erased> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update sms.opt_outs as old set keyword = '' where ${hasPhone(person)} and old.keyword is distinct from ''`)
  return { rows: rowCount }
}

/** Tables of SMS with rows of people. */
export const personTables: readonly PersonTable[] = [
  {
    name: 'sms.opt_outs',
    action: 'kept',
    why: 'The number of a person who refused messages, so that no later message reaches the person.',
    erase: keepOptOuts,
  },
  { name: 'sms.messages', action: 'deleted', with: ['sms.statuses'], erase: deleteMessages },
]
