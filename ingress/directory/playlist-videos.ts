import { z } from 'zod'
import { conflict, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Int4 } from '#lib/input-types.ts'
import * as rows from '#sql/directory/playlists.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Playlist, present } from './playlists.ts'
import { presentVideo, Video } from './present.ts'

const one = { path: '/playlists/{playlistId}/videos/{uuid}', scope: 'streaming:write', beyondContract: true } as const
const playlistId = pathId('playlist')
const params = z.object({ playlistId, uuid: pathId('video') })

const Entry = Video.extend({
  position: z.int().describe('Position in the playlist, starting at 1. The list contains only listed videos.'),
}).meta({
  id: 'directory.PlaylistEntry',
})

export const list = orderedListRoute({
  path: '/playlists/{playlistId}/videos',
  summary: 'List the videos of a playlist in order',
  description: 'Returns the videos with their position in the playlist.',
  scope: 'streaming:read',
  reads: 'replica',
  etag: true,
  beyondContract: true,
  params: z.object({ playlistId }),
  item: Entry,
  key: Int4,
  keyOf: ({ position }: rows.Entry) => position,
  problems: ['not_found'],
  async rows({ params, db }, page) {
    await mustFind(rows.find(db, params.playlistId), 'playlist')
    return await rows.listEntries(db, params.playlistId, page)
  },
  present: ({ position, ...row }, { origin }) => ({ ...presentVideo(row, origin), position }),
})

export const put = route({
  ...one,
  method: 'PUT',
  summary: 'Add or move a video in a playlist',
  description:
    'Adds the video at the end or at `position`, which starts at 1. A video that is already in the playlist is moved. A repeated call changes nothing.',
  params,
  body: z.strictObject({
    position: z
      .int()
      .min(1)
      .max(rows.mostVideos)
      .optional()
      .describe(
        'Position, starting at 1. If the position is greater than the number of videos, the video is added at the end.',
      ),
  }),
  status: 200,
  reply: Playlist,
  problems: ['not_found', 'conflict'],
  example: { body: { position: 1 } },
  async handle({ params: { playlistId, uuid }, body: { position }, org, db, origin }) {
    const changed = await db.transaction(async (tx) => {
      const before = await mustFind(rows.lockVideos(tx, org.id, playlistId), 'playlist')
      if (!before.includes(uuid) && !(await rows.filterUsable(tx, org.id, [uuid])).has(uuid)) throw notFound('video')
      const videos = before.filter((id) => id !== uuid)
      if (videos.length === rows.mostVideos) throw conflict(`A playlist can have up to ${rows.mostVideos} videos.`)
      videos.splice((position ?? rows.mostVideos) - 1, 0, uuid)
      return await rows.update(tx, org.id, playlistId, { videos })
    })
    if (!changed) throw notFound('playlist')
    return present(changed, origin)
  },
})

export const remove = removeRoute({
  ...one,
  summary: 'Remove a video from a playlist',
  description: 'Removes the video from the playlist. The video itself is not deleted.',
  params,
  reply: { uuid: Id },
  done: 'removed',
  what: 'video',
  async remove({ params: { playlistId, uuid }, org, db }) {
    const before = await mustFind(rows.lockVideos(db, org.id, playlistId), 'playlist')
    if (!before.includes(uuid)) return false
    await rows.update(db, org.id, playlistId, { videos: before.filter((id) => id !== uuid) })
  },
})
