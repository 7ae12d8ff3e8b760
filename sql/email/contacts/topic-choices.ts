import { type Db, sql } from '../../db.ts'
import type { TopicState } from '../contacts.ts'
import { Contact, table, tableFor } from '../contacts.ts'

export type TopicChoices = Readonly<Record<string, TopicState>>

/** Adds choices to those of a contact. Choices of other topics do not change. */
export async function add(tx: Db, id: string, choices: TopicChoices, sandbox: boolean): Promise<Contact> {
  return await tx.one(sql.type(Contact)`
    update ${tableFor(sandbox)} set topics = topics || ${sql.jsonb(choices)} where id = ${id} returning ${table.columns()}`)
}

/** Subscribes contacts to topics about which they have not chosen. A choice of the contact is never changed. */
export async function addMissing(
  tx: Db,
  wanted: readonly { id: string; topics: readonly string[] }[],
  sandbox: boolean,
): Promise<void> {
  if (wanted.length === 0) return
  const merged = new Map<string, TopicChoices>()
  for (const { id, topics } of wanted) {
    const given = Object.fromEntries(topics.map((key) => [key, 'subscribed' as const]))
    merged.set(id, { ...merged.get(id), ...given })
  }
  const rows = [...merged].map(([id, topics]) => ({ id, topics }))
  await tx.query(sql.typeAlias('void')`
    with given as (
      select c.id, g.topics from json_to_recordset(${JSON.stringify(rows)}::json) as g (id uuid, topics jsonb)
      join ${tableFor(sandbox)} as c on c.id = g.id order by c.id for update of c)
    update ${tableFor(sandbox)} as c set topics = g.topics || c.topics from given as g where c.id = g.id`)
}
