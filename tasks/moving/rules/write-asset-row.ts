import { Later } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as imports from '#sql/moving/imports.ts'
import * as rows from '#sql/moving/rows.ts'
import type { Attempt } from '../../queue/task.ts'
import type { ProviderClient } from './providers/client.ts'
import { fetchCaptions, fileWaitSeconds, findFile, type WaitingAsset, writeAsset } from './write/assets.ts'
import { lockWriting, record } from './write-rows.ts'

/**
 * Maximum number of assets whose files are created or downloaded at the same time. The URL of a file works for a day, so
 * later files are requested when earlier files have arrived.
 */
const mostOpen = 20

const openWaitMs = 15_000

/** Moves one asset on: asks the provider for its file, or creates the asset when the file is available. */
export async function writeAssetRow(
  db: DatabasePool,
  id: string,
  row: rows.Row,
  client: ProviderClient,
  { own }: Pick<Attempt, 'own'>,
): Promise<void> {
  const item = row.item as unknown as WaitingAsset
  const { tries = 0 } = item
  if (tries === 0 && (await rows.countOpenAssets(db, id)) >= mostOpen)
    throw new Later(openWaitMs, 'other files of the import are being downloaded')
  const file = await findFile(client, item)
  const tracks = typeof file === 'object' && 'url' in file ? await fetchCaptions(client, item) : []
  await own(async (tx) => {
    const now = await lockWriting(tx, id)
    if (!now) return
    await imports.clearSetbacks(tx, id)
    if (file === 'wait') return await rows.postpone(tx, id, row.number, { ...item, tries: tries + 1 }, fileWaitSeconds)
    const result =
      'url' in file
        ? await writeAsset(tx, now, row, file.url, tracks)
        : { number: row.number, outcome: 'invalid' as const, reason: file.reason, target_id: null }
    await record(tx, id, [result])
  })
}
