import { isDeepStrictEqual } from 'node:util'
import type { Db } from '#sql/db.ts'
import * as imports from '#sql/moving/imports.ts'
import * as rows from '#sql/moving/rows.ts'
import type { Attempt } from '../../queue/task.ts'
import { demandAuthority } from './authority.ts'
import { type PreparedRow, prepareRows } from './prepare-rows.ts'
import type { ProviderClient } from './providers/client.ts'
import { MovingFault } from './providers/fault.ts'
import type { Source } from './providers/source.ts'
import { sources } from './providers/sources.ts'

/** Maximum number of objects of one import. */
export const mostRows = 500_000

/** Maximum number of pages of one list. A list with more pages does not end. */
const mostPages = 20_000

/** Lists that an import still has to read. */
const listsOf = ({ source, provider, parts }: imports.Import): readonly Source[] =>
  source === 'file' ? [] : sources[provider].filter(({ part }) => parts.includes(part))

/** Reads the next page of the provider and stores its rows. After the last page, the import is checked or written. */
export async function readPage(
  about: imports.Import,
  client: ProviderClient | null,
  { own, signal }: Pick<Attempt, 'own' | 'signal'>,
): Promise<void> {
  const { cursor } = about
  const step = cursor.step ?? 0
  const list = listsOf(about)[step]
  if (!list || !client) {
    await own((tx) => finishReading(tx, about))
    return
  }
  const at = cursor.at ?? null
  const { given, next } = await list.read(client, at)
  if (next !== null && (next === at || (cursor.pages ?? 0) >= mostPages))
    throw new MovingFault('The provider returned the same page again, so the list does not end.')
  const prepared = await prepareRows(about.org_id, about.provider, given, signal)
  const after = next === null ? { step: step + 1 } : { step, at: next, pages: (cursor.pages ?? 0) + 1 }
  await own((tx) => storePage(tx, about, prepared, after))
}

/** Returns the import, locked, if no other job has continued it. */
async function lockUnchanged(tx: Db, { id, cursor }: imports.Import): Promise<imports.Import | null> {
  const now = await imports.lock(tx, id)
  const isReading = now?.status === 'queued' || now?.status === 'reading'
  if (!now || !isReading || !isDeepStrictEqual(now.cursor, cursor)) return null
  await demandAuthority(tx, now)
  return now
}

async function storePage(
  tx: Db,
  about: imports.Import,
  prepared: readonly PreparedRow[],
  after: imports.Cursor,
): Promise<void> {
  const now = await lockUnchanged(tx, about)
  if (!now) return
  if (now.found + prepared.length > mostRows)
    throw new MovingFault(`An import can have up to ${mostRows} objects. Import fewer parts, or export files.`)
  await addRows(tx, now, prepared, after)
}

/** Stores rows and the position of the next page. */
export async function addRows(
  tx: Db,
  { id, org_id }: Pick<imports.Import, 'id' | 'org_id'>,
  prepared: readonly PreparedRow[],
  after: imports.Cursor,
): Promise<void> {
  // Repeated objects have no row, so the number of rows can be lower than the last number.
  const last = await rows.lastNumber(tx, id)
  const numbered = prepared.map((row, i) => ({ ...row, import_id: id, org_id, number: last + i + 1 }))
  const added = await rows.insertMany(tx, numbered)
  const invalid = numbered.filter(({ number, outcome }) => outcome === 'invalid' && added.has(number)).length
  await imports.setCursor(tx, id, after, added.size, invalid)
}

async function finishReading(tx: Db, about: imports.Import): Promise<void> {
  const now = await lockUnchanged(tx, about)
  if (now) await imports.setStatus(tx, now.id, now.dry_run ? 'ready' : 'writing')
}
