import { z } from 'zod'
import { Later, Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { getBackOffDelay } from '#lib/retry.ts'
import { isClosedOrganisationError } from '#sql/account/closures.ts'
import type { Db } from '#sql/db.ts'
import * as imports from '#sql/moving/imports.ts'
import * as rows from '#sql/moving/rows.ts'
import type { Tools } from '../pools.ts'
import { type Attempt, task } from '../queue/task.ts'
import { createProviderClient, type ProviderClient } from './rules/providers/client.ts'
import { MovingFault, PassingFault } from './rules/providers/fault.ts'
import { headersOf } from './rules/providers/sources.ts'
import { readPage } from './rules/read-page.ts'
import { openCredential } from './rules/seal.ts'
import { writeAssetRow } from './rules/write-asset-row.ts'
import { writeRows } from './rules/write-rows.ts'

type Means = Attempt & Tools['web']

/** Time in milliseconds after which an import lets other jobs run. */
const turnMs = 20_000

/** Maximum number of failed requests in a row: about an hour. */
const mostSetbacks = 12

/** Maximum number of requests in a row that the provider rejects because of its rate limit: about 16 hours. */
const mostWaits = 100

const backOff = { first: 2, factor: 2, most: 600 }

const pacing = { first: 1, factor: 2, most: 600 }

const open: readonly imports.Status[] = ['queued', 'reading', 'writing']

/**
 * Continues an import page by page. The position and the rows of a page are stored together, so a crash neither omits
 * nor repeats objects.
 */
export const importAll = task({
  name: 'moving/import',
  pool: 'web',
  payload: z.object({ importId: Id }),
  attempts: 12,
  timeout: 10 * 60_000,
  async run({ importId }, means) {
    const ends = performance.now() + turnMs
    let client: ProviderClient | null = null
    while (performance.now() < ends) {
      means.signal.throwIfAborted()
      const about = await imports.read(means.db, importId)
      if (!about || !open.includes(about.status)) return
      try {
        client ??= openClient(about, means)
        if (about.status === 'writing') await writeNext(about, client, means)
        else await readPage(about, client, means)
      } catch (error) {
        await settle(about, error, means)
      }
    }
    throw new Later(0, 'more objects follow')
  },
  async giveUp({ importId }, error, { db }) {
    await db.transaction((tx) => fail(tx, importId, `The import stopped: ${error.name}. Start it again.`))
  },
  async revive() {
    throw new Permanent('A failed import cannot be retried. The organisation must start it again.')
  },
})

function openClient(about: imports.Import, { outbound, signal }: Means): ProviderClient | null {
  const { id, org_id, provider, credential } = about
  if (about.source === 'file') return null
  const key = credential === null ? null : openCredential(credential, id)
  if (key === null) throw new MovingFault('The key of the provider cannot be decrypted. Start the import again.')
  const secrets = [key, ...key.split(':')]
  return createProviderClient({
    name: provider,
    headers: headersOf(provider, key),
    secrets,
    orgId: org_id,
    outbound,
    signal,
  })
}

/** Writes the next rows, or finishes the import. */
async function writeNext({ id }: imports.Import, client: ProviderClient | null, means: Means): Promise<void> {
  const [next] = await rows.listWaiting(means.db, id, 1)
  if (next?.part === 'assets') {
    if (client) await writeAssetRow(means.db, id, next, client, means)
    return
  }
  if (next) {
    const { part } = next
    await means.own((tx) => writeRows(tx, id, part))
    return
  }
  const seconds = await rows.secondsUntilDue(means.db, id)
  if (seconds !== null) throw new Later(Math.max(1_000, seconds * 1_000), 'the provider is creating files')
  await means.own(async (tx) => {
    const now = await imports.lock(tx, id)
    if (now?.status === 'writing') await imports.setStatus(tx, id, 'finished')
  })
}

/** Ends the import, or schedules its next request. Throws other errors. */
async function settle(about: imports.Import, error: unknown, { own }: Means): Promise<void> {
  const { id, cursor } = about
  if (error instanceof MovingFault) return await own((tx) => fail(tx, id, error.message))
  if (isClosedOrganisationError(error)) return await own((tx) => fail(tx, id, 'The organisation was closed.'))
  if (!(error instanceof PassingFault)) throw error
  const setbacks = (cursor.setbacks ?? 0) + (error.isPaced ? 0 : 1)
  const waits = (cursor.waits ?? 0) + (error.isPaced ? 1 : 0)
  if (setbacks > mostSetbacks || waits > mostWaits) {
    const attempts = error.isPaced ? waits : setbacks
    return await own((tx) => fail(tx, id, `${error.message} The import stopped after ${attempts} attempts.`))
  }
  await own((tx) => imports.setSetbacks(tx, id, { setbacks, waits }))
  const delay = error.isPaced ? getBackOffDelay(pacing, waits - 1) : getBackOffDelay(backOff, setbacks - 1)
  const seconds = Math.max(error.seconds, delay)
  throw new Later(seconds * 1_000, error.message)
}

async function fail(tx: Db, id: string, reason: string): Promise<void> {
  const now = await imports.lock(tx, id)
  if (!now || !open.includes(now.status)) return
  await imports.setStatus(tx, id, 'failed', reason.slice(0, 500))
  await rows.clearItems(tx, id)
}
