import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import type { Erased, PersonTable } from '../people/person-table.ts'
import { texts } from '../people/person-table.ts'

/** Value that replaces the phone number of an erased person. */
const erasedNumber = 'erased'

const ofPerson = ({ org_id, phones }: PersonKeys) => sql.fragment`
  from voice.legs as l join voice.calls as c on c.id = l.call_id
  where l.number = any(${texts(phones)}) and c.org_id = ${org_id}`

/** Removes the number of the person and the metadata from ended calls. Calls in progress are changed later. */
async function anonymise(tx: Db, person: PersonKeys, limit: number): Promise<Erased> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    with found as (
      select l.call_id, l.leg ${ofPerson(person)} and c.ended_at is not null order by l.call_id limit ${limit} for update of l
    ), cleared as (
      update voice.calls as c set metadata = '{}', speech = null from found as f where c.id = f.call_id)
    update voice.legs as l set number = ${erasedNumber}, dialog = null
    from found as f where l.call_id = f.call_id and l.leg = f.leg`)
  const isInUse = await tx.exists(sql.typeAlias('count')`select 1 as count ${ofPerson(person)} and c.ended_at is null`)
  return { rows: rowCount, isInUse }
}

/** Tables of voice with rows of people. */
export const personTables: readonly PersonTable[] = [
  {
    name: 'voice.legs',
    action: 'anonymised',
    with: ['voice.calls'],
    why: 'Calls stay without the number and the metadata, because the usage of the organisation is billed from them.',
    erase: anonymise,
  },
]
