import { z } from 'zod'
import type { Given, Source } from './source.ts'

const Track = z.object({
  id: z.string().nullish(),
  type: z.string(),
  text_type: z.string().nullish(),
  status: z.string().nullish(),
  language_code: z.string().nullish(),
  name: z.string().nullish(),
})

const StaticFile = z.object({
  name: z.string(),
  ext: z.string().nullish(),
  status: z.string().nullish(),
  bitrate: z.number().nullish(),
})

export const Asset = z.object({
  id: z.string().min(1).max(200),
  status: z.string(),
  passthrough: z.string().nullish(),
  meta: z.object({ title: z.string().nullish(), external_id: z.string().nullish() }).nullish(),
  playback_ids: z.array(z.object({ id: z.string(), policy: z.string() })).nullish(),
  tracks: z.array(Track).nullish(),
  master: z.object({ status: z.string(), url: z.url().nullish() }).nullish(),
  static_renditions: z.object({ status: z.string().nullish(), files: z.array(StaticFile).nullish() }).nullish(),
})

export const OneAsset = z.object({ data: Asset })

const Page = z.object({ data: z.array(Asset), next_cursor: z.string().nullish() })

/** Returns the MP4 with the highest bitrate. Null if the asset has none. */
function bestFile({ static_renditions }: z.output<typeof Asset>): string | null {
  const ready = (static_renditions?.files ?? []).filter(
    ({ name, status }) => name.endsWith('.mp4') && (status ?? static_renditions?.status) === 'ready',
  )
  return ready.sort((a, b) => (b.bitrate ?? 0) - (a.bitrate ?? 0))[0]?.name ?? null
}

function asset(found: z.output<typeof Asset>): Given {
  const { id, passthrough = null, meta } = found
  const open = found.playback_ids?.find(({ policy }) => policy === 'public')
  const captions = (found.tracks ?? []).flatMap(({ id: track, type, text_type, status, language_code, name }) =>
    type === 'text' && track && language_code && text_type !== 'chapters' && (status ?? 'ready') === 'ready'
      ? [{ id: track, language: language_code, name: name?.trim().slice(0, 100) || null }]
      : [],
  )
  const title = meta?.title?.trim().slice(0, 500) || null
  const playback_id = open?.id ?? found.playback_ids?.[0]?.id ?? null
  const item = { id, title, passthrough, playback_id, is_public: open !== undefined, file: bestFile(found), captions }
  return { part: 'assets', id, label: title ?? id, item }
}

export const mux: readonly Source[] = [
  {
    part: 'assets',
    async read(client, at) {
      const after = at === null ? '' : `&cursor=${encodeURIComponent(at)}`
      const page = await client.json(`/video/v1/assets?limit=100${after}`, Page)
      return {
        given: page.data.filter(({ status }) => status === 'ready').map(asset),
        next: page.data.length > 0 ? (page.next_cursor ?? null) : null,
      }
    },
  },
]
