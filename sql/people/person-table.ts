import type { FragmentSqlToken } from 'slonik'
import { type Db, sql } from '../db.ts'
import type { Action } from './erasure-tables.ts'
import type { PersonKeys } from './keys.ts'

/** Result of one batch of an erasure. */
export interface Erased {
  rows: number
  /** Objects of the files area that belonged to the rows. */
  files?: readonly string[]
  /** Received emails whose bytes are in storage. */
  receivedEmails?: readonly string[]
  /** Devices whose streams end. */
  devices?: readonly string[]
  /** True if rows are in use now. The erasure tries again later. */
  isInUse?: boolean
}

/**
 * A table with rows of people. Each area declares its tables in `person.ts`. A test finds tables with personal columns
 * that no area declares.
 */
export interface PersonTable {
  /** `<area>.<table>` */
  name: string
  action: Action
  /** Tables whose rows are deleted with the rows of this table. */
  with?: readonly string[]
  /** Why rows are kept or anonymised, for the receipt. */
  why?: string
  /** Changes up to `limit` rows in the transaction. The table is complete if the result is lower. Can run again. */
  erase(tx: Db, person: PersonKeys, limit: number): Promise<Erased>
}

/** Deletes up to `limit` rows of a table that match. `where` names the table `old`. */
export async function deleteRows(
  tx: Db,
  name: readonly [string, string],
  where: FragmentSqlToken,
  limit: number,
): Promise<Erased> {
  const table = sql.identifier([...name])
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from ${table} where ctid = any(array(select old.ctid from ${table} as old where ${where} limit ${limit} for update))`)
  return { rows: rowCount }
}

/** Declares a table whose rows are deleted. */
export const deleted = (
  area: string,
  table: string,
  where: (person: PersonKeys) => FragmentSqlToken,
  dependent: readonly string[] = [],
): PersonTable => ({
  name: `${area}.${table}`,
  action: 'deleted',
  with: dependent,
  erase: (tx, person, limit) => deleteRows(tx, [area, table], where(person), limit),
})

export const texts = (values: readonly string[]): FragmentSqlToken => sql.fragment`${sql.array([...values], 'text')}`
