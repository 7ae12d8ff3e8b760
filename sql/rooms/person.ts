import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { deleteRows, type Erased, type PersonTable } from '../people/person-table.ts'

const isPerson = ({ org_id, user_id }: PersonKeys) => sql.fragment`
  old.identity = ${user_id} and old.room_id in (select r.id from rooms.rooms as r where r.org_id = ${org_id})`

/** Deletes the person from rooms that the person has left, or that have ended. */
async function deleteParticipants(tx: Db, person: PersonKeys, limit: number): Promise<Erased> {
  const isOver = sql.fragment`(old.left_at is not null
    or exists (select from rooms.rooms as r where r.id = old.room_id and r.ended_at is not null))`
  const { rows } = await deleteRows(
    tx,
    ['rooms', 'participants'],
    sql.fragment`${isPerson(person)} and ${isOver}`,
    limit,
  )
  const isInUse = await tx.exists(sql.typeAlias('count')`
    select 1 as count from rooms.participants as old where ${isPerson(person)} and not ${isOver}`)
  return { rows, isInUse }
}

/** Tables of rooms with rows of people. The identity of a participant is the ID of the person. */
export const personTables: readonly PersonTable[] = [
  {
    name: 'rooms.waiting',
    action: 'deleted',
    erase: (tx, person, limit) => deleteRows(tx, ['rooms', 'waiting'], isPerson(person), limit),
  },
  { name: 'rooms.participants', action: 'deleted', erase: deleteParticipants },
]
