import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { type Db, isRowFault } from '#sql/db.ts'
import * as imports from '#sql/moving/imports.ts'
import * as rows from '#sql/moving/rows.ts'
import { demandAuthority } from './authority.ts'
import { writeContacts } from './write/contacts.ts'
import { writeDevices } from './write/devices.ts'
import { writeSuppressions } from './write/suppressions.ts'
import { writeTemplates } from './write/templates.ts'

type Writer = (tx: Db, about: imports.Import, rows: readonly rows.Row[]) => Promise<rows.Result[]>

export type PlainPart = Exclude<imports.Part, 'assets'>

const writers: Readonly<Record<PlainPart, Writer>> = {
  templates: writeTemplates,
  suppressions: writeSuppressions,
  contacts: writeContacts,
  devices: writeDevices,
}

/** Number of rows per transaction. */
const batch = 200

/** Returns the import, locked, if it is still being written by an active key. */
export async function lockWriting(tx: Db, id: string): Promise<imports.Import | null> {
  const now = await imports.lock(tx, id)
  if (now?.status !== 'writing') return null
  await demandAuthority(tx, now)
  return now
}

/** Writes the next rows of one part. Returns false if no row of this part is due. */
export async function writeRows(tx: Db, id: string, part: PlainPart): Promise<boolean> {
  const now = await lockWriting(tx, id)
  if (!now) return false
  const waiting = await rows.listWaiting(tx, id, batch)
  const given = waiting.filter((row) => row.part === part)
  if (given.length === 0) return false
  await record(tx, id, await writeApart(tx, now, writers[part], given))
  return true
}

/** Stores results and counts them. */
export async function record(tx: Db, id: string, results: readonly rows.Result[]): Promise<void> {
  await rows.setResults(tx, id, results)
  const countOf = (outcome: rows.Outcome) => results.filter((result) => result.outcome === outcome).length
  const counts = { imported: countOf('imported'), existing: countOf('existing'), invalid: countOf('invalid') }
  await imports.count(tx, id, counts)
}

/** Writes rows. Halves them until a row that cannot be stored is separate from the others. */
async function writeApart(
  tx: Db,
  about: imports.Import,
  write: Writer,
  given: readonly rows.Row[],
): Promise<readonly rows.Result[]> {
  if (given.length === 0) return []
  try {
    return await tx.transaction((inner) => write(inner, about, given))
  } catch (error) {
    if (!isRowFault(error)) throw error
    const [only] = given
    if (given.length === 1 && only) {
      log.error({ err: describe(error), import_id: about.id, number: only.number }, 'an imported row was not stored')
      const reason = 'The object could not be stored.'
      return [{ number: only.number, outcome: 'invalid', reason, target_id: null }]
    }
    const half = Math.ceil(given.length / 2)
    const first = await writeApart(tx, about, write, given.slice(0, half))
    return [...first, ...(await writeApart(tx, about, write, given.slice(half)))]
  }
}
