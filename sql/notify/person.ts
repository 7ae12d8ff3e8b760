import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { deleted, deleteRows, type Erased, type PersonTable } from '../people/person-table.ts'

const isPerson = ({ org_id, person_id }: PersonKeys) => sql.fragment`
  old.org_id = ${org_id} and old.user_id = ${person_id}`

const ofEvents = (person: PersonKeys) => sql.fragment`
  old.event_id in (select old.id from notify.events as old where ${isPerson(person)})`

/** Deletes copies for chat services. A copy whose request is in progress is deleted later. */
async function deleteChatMessages(tx: Db, { org_id, user_id }: PersonKeys, limit: number): Promise<Erased> {
  const isPersons = sql.fragment`old.org_id = ${org_id} and old.user_id = ${user_id}`
  const { rows } = await deleteRows(
    tx,
    ['notify', 'chat_messages'],
    sql.fragment`${isPersons} and old.status <> 'sending'`,
    limit,
  )
  const isInUse = await tx.exists(sql.type(z.object({ id: Id }))`
    select old.id from notify.chat_messages as old where ${isPersons} and old.status = 'sending'`)
  return { rows, isInUse }
}

/** Tables of notify with rows of people. The directory is first, so that waiting runs find no address. */
export const personTables: readonly PersonTable[] = [
  deleted('notify', 'people', isPerson),
  deleted('notify', 'topic_people', isPerson),
  deleted('notify', 'broadcast_people', isPerson),
  deleted('notify', 'preferences', isPerson),
  deleted('notify', 'digests', isPerson),
  deleted('notify', 'runs', isPerson, ['notify.run_steps', 'notify.run_fetches']),
  deleted('notify', 'throttles', isPerson),
  { name: 'notify.chat_messages', action: 'deleted', erase: deleteChatMessages },
  deleted('notify', 'copies', ofEvents),
  deleted('notify', 'inbox', isPerson),
  deleted('notify', 'events', isPerson),
  deleted('notify', 'users', isPerson),
]
