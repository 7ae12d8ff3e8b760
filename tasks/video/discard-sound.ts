import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as playlists from '#sql/video/playlists.ts'
import { task } from '../queue/task.ts'
import { soundPlaylist, soundRendition } from './rules/sounds/sound-names.ts'

/**
 * Deletes the files of an added audio track. The job is added a day ahead, so that players that use the track can
 * finish.
 */
export const discardSound = task({
  name: 'video/discard-sound',
  pool: 'core',
  payload: z.object({ assetId: Id, packageId: Id, soundId: Id }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ assetId, packageId, soundId }, { db, storage, signal }) {
    const rendition = soundRendition(soundId)
    await storage.deleteAll(`${playlists.packagePrefix(assetId, packageId)}${rendition}_`, signal)
    const track = { packageId, rendition, playlist: soundPlaylist(soundId) }
    await db.transaction((tx) => playlists.deleteTrack(tx, track))
  },
})
