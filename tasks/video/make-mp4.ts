import { join } from 'node:path'
import { z } from 'zod'
import { Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as mp4s from '#sql/video/mp4s.ts'
import * as playlists from '#sql/video/playlists.ts'
import * as renditions from '#sql/video/renditions.ts'
import { task } from '../queue/task.ts'
import { fetchTrack } from './rules/hls/fetch-track.ts'
import { readMediaPlaylist } from './rules/hls/media-playlist.ts'

const Mp4Payload = z.object({ assetId: Id, packageId: Id, rendition: z.string() })

const nameOf = ({ assetId, packageId, rendition }: z.output<typeof Mp4Payload>): mp4s.Mp4Name => ({
  asset_id: assetId,
  package_id: packageId,
  rendition,
})

export const makeMp4 = task({
  name: 'video/make-mp4',
  pool: 'media-intake',
  payload: Mp4Payload,
  tracked: true,
  attempts: 4,
  timeout: 45 * 60_000,
  async run(payload, { db, media, scratch, storage, signal, own }) {
    const { assetId, packageId, rendition } = payload
    const name = nameOf(payload)
    if ((await mp4s.find(db, name))?.state !== 'queued') return
    const served = (await renditions.listServed(db, assetId)).find((one) => one.name === rendition)
    // The source package may contain its own audio. Other renditions have a separate track.
    const [picture, sound] = await Promise.all(
      [rendition, 'audio'].map((track) => playlists.find(db, assetId, packageId, `${track}.m3u8`)),
    )
    if (!picture || !served) throw new Rejected('The package of the asset is no longer served.')
    // Reserves disk space for the downloaded files, and twice for the output: a second pass moves the index to the
    // start.
    await using folder = await scratch.attempt(3 * served.bytes)
    const at = (file: string) => join(folder.path, file)
    const prefix = playlists.packagePrefix(assetId, packageId)
    const fetch = async (text: string, output: string): Promise<string> => {
      const { map, segments } = readMediaPlaylist(text)
      const files = [map, ...segments.map(({ file }) => file)]
      await fetchTrack(files, { prefix, folder: folder.path, output }, storage, signal)
      return output
    }
    const input = {
      picture: await fetch(picture, at('picture.mp4')),
      sound: sound && rendition !== 'audio' ? await fetch(sound, at('sound.mp4')) : null,
      output: at('whole.mp4'),
    }
    const bytes = await media.mp4(input, { signal })
    await storage.upload(input.output, mp4s.mp4Key(name), { contentType: 'video/mp4', signal })
    await own((tx) => mp4s.end(tx, name, { state: 'ready', bytes }))
  },
  async giveUp(payload, _, { db }) {
    await mp4s.end(db, nameOf(payload), { state: 'failed' })
  },
})
