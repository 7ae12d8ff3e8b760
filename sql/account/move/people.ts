import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { tableOf } from './owned-rows.ts'
import { type MovedTable, readRelations } from './tables.ts'

export interface Shared {
  users: MovedTable
  passkeys: MovedTable
  switchboards: MovedTable
}

export async function readShared(db: Db): Promise<Shared> {
  const relations = await readRelations(db)
  const find = (wanted: string): MovedTable => {
    const found = relations.find(({ name }) => name === wanted)
    if (!found) throw new Error(`Table ${wanted} does not exist.`)
    return { ...found, belongs: () => sql.fragment`true`, belongsText: () => '', shared: [] }
  }
  return { users: find('account.users'), passkeys: find('account.passkeys'), switchboards: find('voice.switchboards') }
}

const IdRow = z.object({ id: z.string() })

export async function sharedIds(
  db: Db,
  tables: readonly MovedTable[],
  orgId: string,
  parent: string,
): Promise<readonly string[]> {
  const branches = tables.flatMap((table) =>
    table.shared
      .filter((one) => one.parent === parent)
      .flatMap(({ columns }) =>
        columns.map(
          (column) => sql.fragment`
            select ${sql.identifier(['t0', column])}::text as id from ${tableOf(table.name)} as t0 where ${table.belongs(orgId)}`,
        ),
      ),
  )
  if (branches.length === 0) return []
  const found = await db.anyFirst(sql.type(IdRow)`
    select id from (${sql.join(branches, sql.fragment` union `)}) as named where id is not null order by id`)
  return found
}

const Person = z.object({ id: z.string(), email: z.string() })

export async function findPeople(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.any(sql.type(Person)`
    select id, email from account.users where id = any(${sql.array([...ids], 'uuid')}) order by id`)
  return new Map(rows.map(({ id, email }) => [email, id]))
}

/** Returns those of the given people who exist in this cell, by email address. */
export async function findPeopleByEmail(
  db: Db,
  wanted: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.any(sql.type(Person)`
    select id, email from account.users where email = any(${sql.array([...wanted.keys()], 'text')})`)
  return new Map(rows.map(({ id, email }) => [email, id]))
}

export const listPasskeyIds = (db: Db, ids: readonly string[]): Promise<readonly string[]> =>
  db.anyFirst(sql.type(IdRow)`
    select id from account.passkeys where user_id = any(${sql.array([...ids], 'uuid')}) order by id`)
