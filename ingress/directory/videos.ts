import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/directory/videos.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { createNameSchema, Description, Language, Tags } from './fields.ts'
import { presentChannel, presentVideo, Video } from './present.ts'
import { videoListSettings } from './video-list.ts'

const params = z.object({ uuid: pathId('video') })

export const VideoDescription = z
  .object({
    uuid: Id,
    title: z.string().nullable(),
    description: z.string(),
    tags: z.array(z.string()),
    language: z.string().nullable(),
    channel: Video.shape.channel,
    listed: z.boolean().describe('True if the asset is public and ready, and therefore listed in the directory'),
  })
  .meta({ id: 'directory.Described' })

export const presentDescription = (row: rows.VideoDescription, origin: string): z.input<typeof VideoDescription> => ({
  ...row,
  uuid: row.id,
  channel: presentChannel(row, origin),
})

export const list = orderedListRoute({
  ...videoListSettings,
  path: '/videos',
  summary: 'List videos and shorts, newest first',
  description: 'Returns public videos and shorts. Set `own` to list only videos of your organisation.',
  rows: ({ query: { own }, org, db }, page) => rows.list(db, { orgId: own ? org.id : undefined }, page),
})

export const read = route({
  method: 'GET',
  path: '/videos/{uuid}',
  summary: 'Read a video',
  description: 'Shorts are included. Videos that are not public or not ready return 404.',
  scope: 'streaming:read',
  etag: true,
  params,
  status: 200,
  reply: Video,
  problems: ['not_found'],
  async handle({ params, db, origin }) {
    return presentVideo(await mustFind(rows.find(db, params.uuid), 'video'), origin)
  },
})

export const describe = route({
  method: 'PATCH',
  path: '/videos/{uuid}',
  summary: 'Update the description of a video',
  description:
    'Takes the ID of your asset. The asset does not need to be public. Without a `title`, the title of the asset is shown.',
  scope: 'streaming:write',
  params,
  body: z.strictObject({
    title: createNameSchema(300).nullable().optional(),
    description: Description.optional(),
    tags: Tags.optional(),
    language: Language.nullable().optional(),
  }),
  status: 200,
  reply: VideoDescription,
  problems: ['not_found'],
  async handle({ params, body, org, db, origin }) {
    const described = db.transaction((tx) => rows.describe(tx, org.id, params.uuid, body))
    return presentDescription(await mustFind(described, 'video'), origin)
  },
})
