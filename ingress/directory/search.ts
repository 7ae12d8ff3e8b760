import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Float4, InstantInput, InstantInUtc } from '#lib/input-types.ts'
import { runBounded } from '#sql/bounded.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as channels from '#sql/directory/channels.ts'
import * as live from '#sql/directory/live-streams.ts'
import * as rows from '#sql/directory/search.ts'
import * as videos from '#sql/directory/videos.ts'
import { findNearestWords } from '#sql/directory/words.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { Channel, present as presentChannel } from './channels.ts'
import { Handle, Language, ownFilter } from './fields.ts'
import { foldText, highlightMatches, replaceWords, splitWords } from './highlight.ts'
import { Live, presentLive, presentVideo, Video } from './present.ts'

const Item = z
  .object({
    type: rows.Type,
    score: z.number().describe('Relevance, comparable within one search. 0 when sorted by date.'),
    highlight: z
      .object({ title: z.string().nullable(), description: z.string().nullable() })
      .describe('Escaped HTML, with matches in `<mark>`'),
    item: z.union([Video, Live, Channel]),
  })
  .meta({ id: 'directory.Found' })

interface SearchResult extends rows.Hit {
  words: string[]
  video?: videos.Video | undefined
  live?: live.LiveStream | undefined
  channel?: channels.Channel | undefined
}

export const find = orderedListRoute({
  path: '/search',
  summary: 'Search videos, shorts, live streams and channels',
  description:
    'Accepts words, `"phrases"`, `or` and `-without`. Case and accents are ignored. A word without matches is replaced by the most similar word.',
  scope: 'streaming:read',
  reads: 'replica',
  search: true,
  etag: true,
  otherParams: ['q', 'type', 'channel', 'language', 'duration', 'published_after', 'sort', 'own'],
  query: {
    q: z.string().trim().min(1).max(200).describe('Search query'),
    type: rows.Type.optional(),
    channel: Handle.optional().describe('Channel handle'),
    language: Language.optional(),
    duration: z
      .enum(
        Object.keys(rows.durationRanges) as [keyof typeof rows.durationRanges, ...(keyof typeof rows.durationRanges)[]],
      )
      .optional()
      .describe('Duration range: below four minutes, up to twenty minutes, or longer'),
    published_after: InstantInput.optional(),
    sort: z.enum(['relevance', '-published_at']).default('relevance'),
    own: ownFilter,
  },
  item: Item,
  key: z.object({ score: Float4, at: InstantInUtc, id: Id }),
  keyOf: ({ score, at, id }: SearchResult) => ({ score, at: at.toISOString(), id }),
  async rows({ query, org, db }, page): Promise<SearchResult[]> {
    const channel = query.channel === undefined ? undefined : await channelNamed(db, query.channel)
    const given = foldText(query.q)
    const { q, hits } = await runBounded(db, async (tx) => {
      const q = replaceWords(given, await findNearestWords(tx, given))
      const wanted: rows.SearchQuery = {
        q,
        type: query.type,
        channelId: channel,
        language: query.language,
        orgId: query.own ? org.id : undefined,
        duration: query.duration,
        publishedAfter: query.published_after,
        sort: query.sort === 'relevance' ? 'relevance' : 'newest',
      }
      return { q, hits: await rows.find(tx, wanted, page) }
    })
    return await withItems(db, hits, splitWords(q))
  },
  present: (found, { origin }) => presentFound(found, origin),
})

async function channelNamed(db: DatabasePool, handle: string): Promise<string> {
  const id = await channels.findIdByHandle(db, handle)
  if (id === null) throw badRequest([{ field: 'query.channel', issue: 'must be the handle of a channel' }])
  return id
}

/** Returns the hits with their items. Omits hits whose item was deleted in the meantime. */
async function withItems(db: DatabasePool, hits: readonly rows.Hit[], words: string[]): Promise<SearchResult[]> {
  const of = (...types: rows.Hit['type'][]) => hits.flatMap(({ type, id }) => (types.includes(type) ? [id] : []))
  const some = async <Row extends { id: string }>(ids: string[], read: (ids: string[]) => Promise<readonly Row[]>) =>
    new Map((ids.length === 0 ? [] : await read(ids)).map((row) => [row.id, row]))
  const [ofVideos, ofLive, ofChannels] = await Promise.all([
    some(of('video', 'short'), (ids) => videos.findMany(db, ids)),
    some(of('live'), (ids) => live.findMany(db, ids)),
    some(of('channel'), (ids) => channels.findMany(db, ids)),
  ])
  return hits.map((hit) => ({
    ...hit,
    words,
    video: ofVideos.get(hit.id),
    live: ofLive.get(hit.id),
    channel: ofChannels.get(hit.id),
  }))
}

function presentFound(found: SearchResult, origin: string): z.input<typeof Item> | undefined {
  const { type, score, words, video, live, channel } = found
  const as = (title: string | null, description: string, item: z.input<typeof Item>['item']) => {
    const marked = { title: title && highlightMatches(title, words), description: highlightMatches(description, words) }
    return { type, score, highlight: marked, item }
  }
  if (video) return as(video.title, video.description, presentVideo(video, origin))
  if (live) return as(live.title, live.description, presentLive(live, origin))
  return channel && as(channel.name, channel.description, presentChannel(channel, origin))
}
