import { z } from 'zod'
import { findPeople, findPeopleByEmail, listPasskeyIds, readShared, sharedIds } from '#sql/account/move/people.ts'
import { fetchRows, type People, type Texts } from '#sql/account/move/rows.ts'
import type { MovedTable } from '#sql/account/move/tables.ts'
import { writeRows } from '#sql/account/move/writes.ts'
import type { Moving } from './plan.ts'

/**
 * Adds the people to the target that rows of the organisation reference: members with their passkeys, and trunks of
 * calls. People with the same email address are the same person and keep their target ID. Returns a map from source IDs
 * to target IDs.
 */
export async function copyPeople({ source, target, tables, move }: Moving): Promise<People> {
  const shared = await readShared(source.db)
  const ids = await sharedIds(source.db, tables, move.org_id, 'account.users')
  const here = await findPeople(source.db, ids)
  const there = await findPeopleByEmail(target.db, here)
  const same = new Map<string, string>()
  for (const [email, id] of here) {
    const known = there.get(email)
    if (known !== undefined && known !== id) same.set(id, known)
  }
  const fresh = [...here.values()].filter((id) => !same.has(id))
  await bring(shared.users, fresh)
  const keys = await listPasskeyIds(source.db, fresh)
  await bring(shared.passkeys, keys)
  await bring(shared.switchboards, await sharedIds(source.db, tables, move.org_id, 'voice.switchboards'))
  return same

  async function bring(table: MovedTable, which: readonly string[]): Promise<void> {
    for (let from = 0; from < which.length; from += 500) {
      const keys = which.slice(from, from + 500).map((id) => [z.uuid().parse(id)])
      const rows: readonly Texts[] = await fetchRows(source.db, table, keys)
      await writeRows(target.db, table, rows, 'spare')
    }
  }
}
