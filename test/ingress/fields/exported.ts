import { readAll } from '#sql/account/exported-rows.ts'
import { readCatalogue } from '#sql/account/move/owned-rows.ts'
import type { DatabasePool } from '#sql/db.ts'
import { findExportedTables } from '#tasks/account/rules/exported-tables.ts'
import { type Leaves, leavesOf } from './holds.ts'

const everywhere = '*'

/** Tables in which all areas store what they make. */
const shared = [
  'webhooks.endpoints',
  'webhooks.events',
  'webhooks.settings',
  'account.keys',
  'account.upload_tokens',
  'video.playback_sessions',
]

/** Areas whose schema has another name. */
const areas: Readonly<Record<string, string>> = { work: 'jobs', knowledge: 'ai' }

/** Values of an organisation's archive by area. */
export async function exportedLeaves(db: DatabasePool, orgId: string): Promise<ReadonlyMap<string, Leaves>> {
  const rows: Record<string, unknown[]> = {}
  for (const [name, table] of findExportedTables(await readCatalogue(db))) {
    const [schema = ''] = name.split('.')
    const place = shared.includes(name) ? everywhere : (areas[schema] ?? schema)
    await readAll(db, { ...table, orgId }, async (found) => {
      rows[place] = [...(rows[place] ?? []), ...found]
    })
  }
  return new Map(Object.entries(rows).map(([schema, found]) => [schema, leavesOf([found, rows[everywhere]])]))
}
