import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { InstantInUtc } from '#lib/input-types.ts'
import type { Video as Row } from '#sql/directory/videos.ts'
import { Language, ownFilter } from './fields.ts'
import { presentVideo, Video } from './present.ts'

export const videoListSettings = {
  scope: 'streaming:read',
  reads: 'replica',
  etag: true,
  filter: { own: ownFilter, language: Language.optional() },
  item: Video,
  key: z.object({ at: InstantInUtc, id: Id }),
  keyOf: ({ published_at, id }: Row) => ({ at: published_at.toISOString(), id }),
  present: (row: Row, { origin }: { origin: string }) => presentVideo(row, origin),
} as const
