import { z } from 'zod'
import { Later, Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as captions from '#sql/video/captions.ts'
import * as imports from '#sql/video/imports.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import type { Tools } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type Attempt, task } from '../queue/task.ts'
import { abortImport } from './abort-import.ts'
import { probe } from './probe.ts'
import { emitAsset } from './rules/emit-asset.ts'
import { ImportFault, SlowServerError, TransientFetchError, toImportError } from './rules/import/fault.ts'
import { continueImport, joinParts } from './rules/import/fetch-on.ts'

const atOnce = 2

/**
 * Maximum number of consecutive connections without new bytes, and of consecutive slow connections. Each connection
 * uses its slot for a minute.
 */
const [mostSetbacks, mostSlow] = [8, 3]

type Means = Attempt & Tools['web']

const ourFault = 'An internal error occurred while the file was imported. Start the import again.'

/**
 * Downloads an asset’s original from its URL over guarded connections. Received bytes are stored part by part. If a
 * worker is lost, a connection breaks or a turn ends, only the missing bytes are requested afterwards.
 */
export const importUrl = task({
  name: 'video/import',
  pool: 'web',
  payload: z.object({ assetId: Id }),
  tracked: true,
  attempts: 12,
  timeout: 60 * 60_000,
  async run({ assetId }, means) {
    const { db, signal, own } = means
    const work = await imports.findWork(db, assetId)
    if (!work) return
    if (!(await own((tx) => imports.takeTurn(tx, work, atOnce))))
      throw new Later(2_000, 'other files of the organisation are being imported')
    try {
      if (work.expires_at.getTime() < Date.now())
        throw new ImportFault('too_slow', 'The import did not finish within a day.')
      if (!(await continueImport(work, means))) throw new Later(0, 'other imports run first')
      const now = await imports.findWork(db, assetId)
      if (now) await becomeSource(now, means)
    } catch (error) {
      if (error instanceof Later || (signal.aborted && !(error instanceof TransientFetchError))) throw error
      const fault = toImportError(error)
      if (fault instanceof TransientFetchError) await goOnLater(work, fault, means)
      else await own((tx) => fail(tx, work, fault.code, fault.message))
    } finally {
      await imports.endTurn(db, assetId)
    }
  },
  async giveUp({ assetId }, error, { db }) {
    const code = error.name === 'Cancelled' ? 'cancelled' : 'internal'
    const work = await imports.findWork(db, assetId)
    if (work) await db.transaction((tx) => fail(tx, work, code, ourFault))
  },
  async revive() {
    throw new Permanent('A failed import cannot be retried. The organisation must start it again.')
  },
})

/** Schedules the rest of an import, unless too many consecutive connections returned no new bytes. */
async function goOnLater(work: imports.Import, setback: TransientFetchError, { db, own }: Means): Promise<void> {
  const { after, message } = setback
  const setbacks = ((await imports.findWork(db, work.asset_id)) ?? work).setbacks + 1
  if (setback instanceof SlowServerError && setbacks >= mostSlow)
    return await own((tx) => fail(tx, work, 'too_slow', message))
  if (setbacks > mostSetbacks) return await own((tx) => fail(tx, work, 'url_unreachable', message))
  await own((tx) => imports.change(tx, work.asset_id, { setbacks }))
  throw new Later(1_000 * Math.min(300, Math.max(after, 2 ** (setbacks - 1))), message)
}

async function becomeSource(work: imports.Import, { own, storage }: Means): Promise<void> {
  const { asset_id: assetId, org_id: orgId } = work
  const bytes = await joinParts(work, { storage })
  if (bytes === null) {
    await own((tx) => imports.change(tx, assetId, { received: 0, whole: false, storage_upload: null }))
    throw new TransientFetchError('Storage has lost parts of the file.')
  }
  await own(async (tx) => {
    if (!(await imports.end(tx, assetId, 'fetched'))) return
    await assets.setBytes(tx, assetId, bytes)
    if (await pipeline.begin(tx, assetId)) await enqueue(tx, probe, { assetId }, { subject: assetId, orgId })
  })
}

async function fail(
  tx: Db,
  { asset_id: assetId, org_id: orgId }: imports.Import,
  code: string,
  summary: string,
): Promise<void> {
  if (!(await imports.end(tx, assetId, 'failed'))) return
  if (await assets.failUpload(tx, assetId, code, summary)) {
    await captions.failWaiting(tx, assetId)
    await emitAsset(tx, assetId, 'video.asset.failed')
  }
  await enqueue(tx, abortImport, { assetId }, { orgId, key: `abort-import:${assetId}` })
}
