import { basename } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as parts from '#sql/video/parts.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { task } from '../task.ts'
import { failAsset, mediaStep, reviveFromStart } from './failure.ts'
import { finishPart } from './finish-part.ts'
import { workPrefix } from './keys.ts'
import { fetchMezzanine } from './mezzanine.ts'

const part = { kind: 'audio', number: 0 } as const

/** AAC of 128 kbit/s in its container. */
const bytesPerSecond = 17_000

/** Encodes the whole sound track at once: in chunks, each would add 21 ms of priming, heard as clicks and drift. */
export const encodeAudio = task({
  name: 'video/encode-audio',
  pool: 'media-intake',
  payload: z.object({ assetId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 2 * 60 * 60_000,
  async run({ assetId }, { db, media, scratch, storage, signal, own, progress }) {
    const asset = await pipeline.find(db, assetId)
    if (!asset?.mezzanine || (await parts.isDone(db, assetId, part))) return
    const mezzanine = await fetchMezzanine(asset, scratch, signal)
    await using folder = await scratch.attempt(mezzanine.seconds * bytesPerSecond)
    const made = await mediaStep(() =>
      media.encodeAudio({ mezzanine, folder: folder.path }, { signal, onProgress: progress }),
    )
    const key = `${workPrefix(assetId)}${basename(made.path)}`
    await storage.upload(made.path, key, { contentType: 'audio/mp4', signal })
    await scratch.keep(assetId, key, made.path)
    await own((tx) => finishPart(tx, asset, part, made))
  },
  giveUp: failAsset,
  revive: reviveFromStart,
})
