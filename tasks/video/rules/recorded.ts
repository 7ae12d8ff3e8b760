import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import type { Tools } from '../../pools.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { probe } from '../probe.ts'
import { runMediaStep } from './transcode/failure.ts'

/** An object with a few seconds of a recording. Each epoch has its own initialisation segment. */
interface Chunk {
  key: string
  epoch: number
  bytes: number
}

const ahead = 8

/** Copies a recording's chunks into one file and stores it as an upload's original; returns its bytes. */
export async function storeAsSource(
  found: readonly Chunk[],
  assetId: string,
  { media, scratch, storage }: Pick<Tools['live'], 'media' | 'scratch' | 'storage'>,
  signal: AbortSignal,
): Promise<number> {
  const bytes = found.reduce((sum, chunk) => sum + chunk.bytes, 0)
  await using folder = await scratch.attempt(3 * bytes)
  const files = await fetchEpochs(found, folder.path, storage, signal)
  const [only = '', ...others] = files
  const joined = () => media.join({ files, folder: folder.path }, { signal })
  const source = others.length === 0 ? only : await runMediaStep(joined)
  await storage.upload(source, sourceKey(assetId), { contentType: 'video/mp4', signal })
  return (await stat(source)).size
}

export const epochFile = (epoch: number): string => `epoch-${epoch}.mp4`

/** Appends the chunks of each epoch to one file, which is a valid fragmented MP4. */
export async function fetchEpochs(
  found: readonly Chunk[],
  folder: string,
  storage: Storage,
  signal: AbortSignal,
): Promise<string[]> {
  const files = new Map<number, string>()
  for (let from = 0; from < found.length; from += ahead) {
    const some = found.slice(from, from + ahead)
    const bodies = await Promise.all(some.map(({ key }) => storage.readWhole(key, signal)))
    for (const [i, { epoch }] of some.entries()) {
      const path = files.get(epoch) ?? join(folder, epochFile(epoch))
      files.set(epoch, path)
      await using file = await open(path, 'a')
      await file.writeFile(bodies[i] as Uint8Array)
    }
  }
  return [...files.values()]
}

export async function createRecordingAsset(
  tx: Db,
  { id, orgId, ...asset }: { id: string; orgId: string; title: string; filename: string; bytes: number },
): Promise<void> {
  const of = { external_ref: null, mime_type: 'video/mp4', profile: 'standard_vod' as const, watermark: null }
  await assets.insert(tx, { ...of, ...asset, id, org_id: orgId })
  await pipeline.begin(tx, id)
  await enqueue(tx, probe, { assetId: id }, { subject: id, orgId })
}

export const formatMinute = (time: Date): string => time.toISOString().slice(0, 16).replace('T', ' ')
