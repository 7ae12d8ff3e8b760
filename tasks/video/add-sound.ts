import { join } from 'node:path'
import { z } from 'zod'
import { Cancelled, hostFaultCode } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import * as renditions from '#sql/video/renditions.ts'
import * as sounds from '#sql/video/sounds.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import type { Tools } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type Attempt, task } from '../queue/task.ts'
import { discardSound } from './discard-sound.ts'
import type { EncodedAudio, Package } from './engine.ts'
import { emitAsset } from './rules/emit-asset.ts'
import { fetchTrack } from './rules/hls/fetch-track.ts'
import { readMediaPlaylist } from './rules/hls/media-playlist.ts'
import { publish } from './rules/hls/publish.ts'
import { soundRendition } from './rules/sounds/sound-names.ts'
import { runMediaStep } from './rules/transcode/failure.ts'
import { isMediaFault, MediaFault } from './rules/transcode/media-fault.ts'
import type { VideoPlan } from './rules/transcode/plan.ts'
import { toNumber } from './rules/transcode/rational.ts'

type Means = Attempt & Tools['media-intake']

const ourFault = 'An internal error occurred while the audio track was added. Add it again.'

/**
 * Encodes the audio of another asset and adds it to the served package of a video. Files that players use do not
 * change, so playback is not interrupted.
 */
export const addSound = task({
  name: 'video/add-sound',
  pool: 'media-intake',
  payload: z.object({ soundId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 2 * 60 * 60_000,
  async run({ soundId }, means) {
    const { db, scratch, storage, signal, own } = means
    const sound = await sounds.findWork(db, soundId)
    const target = sound && (await sounds.findTarget(db, sound.asset_id))
    if (!sound || !target) return
    const source = await runMediaStep(() => findSource(db, sound.source_asset_id))
    await using folder = await scratch.attempt(3 * source.bytes + target.seconds * bytesPerSecond)
    const encoded = await encode({ source, seconds: target.seconds, folder: folder.path }, means)
    const made = await makePackage(sound, { ...target, encoded, folder: folder.path }, means)
    const { asset_id: assetId, org_id: orgId } = sound
    const { packageId } = target
    const record = await publish(assetId, packageId, made, storage, signal)
    await own(async (tx) => {
      if (!(await sounds.markReady(tx, sound, { packageId, bytes: made.bytes })))
        return await enqueue(tx, discardSound, { assetId, packageId, soundId }, { orgId })
      await record(tx)
      await sounds.offer(tx, assetId)
      await emitAsset(tx, assetId, 'video.asset.updated')
    })
  },
  async giveUp({ soundId }, error, { db }) {
    const fault = isMediaFault(error.cause) ? error.cause : undefined
    const code = fault?.code ?? hostFaultCode(error) ?? (error instanceof Cancelled ? 'cancelled' : 'internal')
    await sounds.fail(db, soundId, code, fault?.message ?? ourFault)
  },
})

/** Size of AAC audio at 128 kbit/s in bytes per second, twice: encoded and in segments. */
const bytesPerSecond = 34_000

async function findSource(db: Db, id: string): Promise<assets.Asset> {
  const source = await assets.findAny(db, id)
  if (source?.status === 'ready' || source?.status === 'processing') return source
  throw new MediaFault('source_deleted', id)
}

/** Downloads the original of the source and encodes its first audio track with the length of the video. */
async function encode(
  { source, seconds, folder }: { source: assets.Asset; seconds: number; folder: string },
  { media, storage, signal, progress }: Means,
): Promise<EncodedAudio> {
  const path = join(folder, 'source')
  await storage.download(sourceKey(source.id), path, signal)
  return await runMediaStep(async () => {
    if (!(await media.probe(path, { signal })).audio) throw new MediaFault('no_audio', source.id)
    const mezzanine = await media.mezzanine({ source: path, folder }, { signal })
    return await media.encodeAudio({ mezzanine, seconds, folder }, { signal, onProgress: progress })
  })
}

async function makePackage(
  { id, asset_id: assetId }: sounds.Sound,
  { packageId, plan, seconds, encoded, folder }: sounds.SoundTarget & { encoded: EncodedAudio; folder: string },
  { db, media, storage, signal }: Means,
): Promise<Package> {
  const { chunks } = plan as VideoPlan
  const lowest = (await renditions.listServed(db, assetId)).findLast(({ width }) => width > 0)
  const text = lowest && (await playlists.find(db, assetId, packageId, `${lowest.name}.m3u8`))
  if (!text) throw new Error('The package of the asset is no longer served.')
  const { map, segments } = readMediaPlaylist(text)
  const reference = join(folder, 'reference.mp4')
  const place = { prefix: playlists.packagePrefix(assetId, packageId), folder, output: reference }
  await fetchTrack([map, ...segments.slice(0, 1).map(({ file }) => file)], place, storage, signal)
  const input = {
    sound: encoded.path,
    name: soundRendition(id),
    segmentSeconds: chunks.segment / toNumber(chunks.rate),
    seconds,
    reference,
    folder: join(folder, 'package'),
  }
  return await media.packageSound(input, { signal })
}
