import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { InstantInUtc } from '#lib/input-types.ts'
import * as videos from '#sql/directory/videos.ts'
import { Language, ownFilter } from './fields.ts'
import { presentVideo, Video } from './present.ts'

export const videoListSettings = {
  scope: 'streaming:read',
  reads: 'replica',
  etag: true,
  filters: videos.filters,
  otherParams: ['own'],
  query: { own: ownFilter, language: Language.optional() },
  item: Video,
  key: z.object({ at: InstantInUtc, id: Id }),
  keyOf: ({ published_at, id }: videos.Video) => ({ at: published_at.toISOString(), id }),
  present: (row: videos.Video, { origin }: { origin: string }) => presentVideo(row, origin),
} as const
