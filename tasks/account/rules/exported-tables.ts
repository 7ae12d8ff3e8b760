import type { RowSelection } from '#sql/account/exported-rows.ts'
import * as owned from '#sql/account/move/owned-rows.ts'
import { afterOrganisation, beforeOrganisation } from './closure-plan.ts'
import { columnsNotExported, tablesNotExported } from './not-exported.ts'

type ExportedTable = Pick<RowSelection, 'root' | 'chain' | 'columns' | 'order'>

/**
 * Returns the tables of an archive by name, read from the database: each table that a closure deletes, with all
 * columns, except those in `not-exported.ts`. A new table or column is exported without a change here.
 */
export function findExportedTables(catalogue: owned.Catalogue): Map<string, ExportedTable> {
  const found = new Map<string, ExportedTable>()
  for (const root of [...beforeOrganisation, ...afterOrganisation]) {
    for (const chain of [[], ...owned.chainsBelow(catalogue, root)]) {
      const path = chain.map((reference) => ({ ...reference, child: nameOfWhole(catalogue, reference.child) }))
      const name = path.at(-1)?.child ?? root
      const all = columnsOf(catalogue, name)
      if (name in tablesNotExported || found.has(name)) continue
      const owner = all.includes('org_id') ? { root: name, chain: [] } : { root, chain: path }
      const columns = all.filter((column) => isExported(name, column))
      found.set(name, { ...owner, columns, order: name === auditLog ? 'number' : undefined })
    }
  }
  return found
}

const auditLog = 'account.audit'

/** The manifest names the organisation. Entries of the audit log contain it, because their hashes include it. */
const isExported = (table: string, column: string): boolean =>
  column === 'org_id' ? table === auditLog : !(`${table}.${column}` in columnsNotExported)

const nameOfWhole = ({ relations }: owned.Catalogue, name: string) => relations.get(name)?.whole ?? name

function columnsOf({ relations }: owned.Catalogue, name: string): readonly string[] {
  const part = [...relations.values()].find(({ whole }) => whole === name)
  if (!part) throw new Error(`${name} is not in the database.`)
  return part.columns
}
