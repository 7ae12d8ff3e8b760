import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { deleted, type Erased, type PersonTable, texts } from '../people/person-table.ts'

const hasPhone = ({ org_id, phones }: PersonKeys) => sql.fragment`
  old.org_id = ${org_id} and old.phone = any(${texts(phones)})`

/** Deletes messages with the files that the person sent. A message whose request is in progress is deleted later. */
async function deleteMessages(tx: Db, person: PersonKeys, limit: number): Promise<Erased> {
  const ids = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select old.id from whatsapp.messages as old where ${hasPhone(person)} and old.status <> 'sending'
    order by old.id limit ${limit} for update`)
  const all = sql.array([...ids], 'uuid')
  const files = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select object_id as id from whatsapp.media where message_id = any(${all}) and object_id is not null`)
  await tx.query(sql.typeAlias('void')`delete from whatsapp.messages where id = any(${all})`)
  const isInUse = await tx.exists(sql.type(z.object({ id: Id }))`
    select old.id from whatsapp.messages as old where ${hasPhone(person)} and old.status = 'sending'`)
  return { rows: ids.length, files, isInUse }
}

/** Tables of WhatsApp with rows of people. The link and the consent are last, so that a denial applies meanwhile. */
export const personTables: readonly PersonTable[] = [
  {
    name: 'whatsapp.messages',
    action: 'deleted',
    with: ['whatsapp.statuses', 'whatsapp.media'],
    erase: deleteMessages,
  },
  deleted(
    'whatsapp',
    'conversations',
    ({ org_id, wa_ids }) => sql.fragment`
    old.org_id = ${org_id} and old.wa_id = any(${texts(wa_ids)})`,
  ),
  deleted(
    'whatsapp',
    'number_contacts',
    ({ org_id, wa_ids }) => sql.fragment`
    old.wa_id = any(${texts(wa_ids)})
    and old.number_id in (select n.id from whatsapp.business_numbers as n where n.org_id = ${org_id})`,
  ),
  deleted(
    'whatsapp',
    'recipients',
    ({ org_id, user_id, phones }) => sql.fragment`
    old.org_id = ${org_id} and (old.user_id = ${user_id} or (old.user_id is null and old.phone = any(${texts(phones)})))`,
  ),
]
