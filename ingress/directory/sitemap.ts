import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { z } from 'zod'
import { unavailable } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { InstantInUtc } from '#lib/input-types.ts'
import { runBounded, TooBroadError } from '#sql/bounded.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as channels from '#sql/directory/channels.ts'
import * as playlists from '#sql/directory/playlists.ts'
import * as videos from '#sql/directory/videos.ts'
import { getOpenBase, getPublicBase } from '#tasks/video/rules/open-url.ts'
import { type Content, type Html, html, queryString } from '../http/html/html.ts'
import { route } from '../http/route.ts'
import { cleanXmlText } from '../http/xml.ts'
import { channelUrl, playlistUrl, watchUrl } from './present.ts'
import { getTitle } from './watch-page.ts'

/**
 * Maximum number of URLs per sitemap. sitemaps.org allows more, but entries of videos are long and a sitemap can have
 * up to 50 MB.
 */
const perMap = 20_000

const batch = 500

const shared = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: { perMinute: 30, by: 'ip' },
  status: 200,
  raw: 'application/xml; charset=utf-8',
} as const

export const index = route({
  ...shared,
  path: '/sitemap.xml',
  summary: 'Get the sitemap index',
  async handle({ db, ctx, origin }) {
    const starts = await runBounded(db, (tx) => videos.listPageStarts(tx, perMap)).catch((error: unknown) => {
      throw error instanceof TooBroadError
        ? unavailable('The sitemap is temporarily unavailable. Try again later.')
        : error
    })
    const base = getPublicBase(origin)
    const ofVideos = starts.map(
      ({ at, id }) => `${base}/sitemap/videos.xml${queryString({ at: at.toISOString(), id })}`,
    )
    const all = [...ofVideos, `${base}/sitemap/channels.xml`, `${base}/sitemap/playlists.xml`]
    send(ctx, 'sitemapindex', async function* () {
      yield html`${all.map((loc) => html`<sitemap><loc>${loc}</loc></sitemap>\n`)}`
    })
  },
})

export const ofVideos = route({
  ...shared,
  path: '/sitemap/videos.xml',
  summary: 'Get the sitemap of videos',
  query: z.object({ at: InstantInUtc, id: Id }),
  async handle({ query, db, ctx, origin }) {
    send(ctx, 'urlset', () => videoEntries(db, origin, query))
  },
})

export const ofChannels = route({
  ...shared,
  path: '/sitemap/channels.xml',
  summary: 'Get the sitemap of channels',
  async handle({ db, ctx, origin }) {
    send(ctx, 'urlset', () =>
      byId(
        (page) => channels.listHandles(db, page),
        ({ handle }) => channelUrl(origin, handle),
      ),
    )
  },
})

export const ofPlaylists = route({
  ...shared,
  path: '/sitemap/playlists.xml',
  summary: 'Get the sitemap of playlists',
  async handle({ db, ctx, origin }) {
    send(ctx, 'urlset', () =>
      byId(
        (page) => playlists.listPublicIds(db, page),
        ({ id }) => playlistUrl(origin, id),
      ),
    )
  },
})

const namespaces =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'

/** Streams a document. Reads entries as fast as the client receives them. */
function send(ctx: Context, root: 'sitemapindex' | 'urlset', entries: () => AsyncGenerator<Html>): void {
  ctx.set('cache-control', 'public, max-age=600')
  ctx.type = 'application/xml; charset=utf-8'
  async function* written() {
    yield `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${namespaces}>\n`
    for await (const { text } of entries()) yield text
    yield `</${root}>\n`
  }
  ctx.body = Readable.from(written())
}

async function* videoEntries(db: DatabasePool, origin: string, from: videos.Place): AsyncGenerator<Html> {
  let since: videos.Place | undefined = from
  for (let left = perMap; left > 0 && since; ) {
    const rows: readonly videos.Video[] = await videos.listPublished(db, since, Math.min(batch, left) + 1)
    const shown = rows.slice(0, Math.min(batch, left))
    left -= shown.length
    const next = rows[shown.length]
    since = next && { at: next.published_at.toISOString(), id: next.id }
    yield html`${shown.map((video) => videoEntry(video, origin))}`
  }
}

/** Maximum length of a description in characters. Search engines read no more. */
const described = 2_048

function videoEntry(video: videos.Video, origin: string): Html {
  const base = getOpenBase(origin, video.id)
  const title = cleanXmlText(getTitle(video))
  const seconds = video.duration_seconds === null ? 0 : Math.round(video.duration_seconds)
  // Google’s video sitemaps require a thumbnail. If there is none, the entry contains only the page.
  const about: Content =
    video.poster &&
    html`<video:video><video:thumbnail_loc>${base}/poster.jpg</video:thumbnail_loc><video:title>${title}</video:title>
<video:description>${cleanXmlText([...video.description].slice(0, described).join('')) || title}</video:description>
<video:player_loc>${base}/embed</video:player_loc>${seconds > 0 && html`<video:duration>${seconds}</video:duration>`}
<video:view_count>${video.views}</video:view_count><video:publication_date>${video.published_at.toISOString()}</video:publication_date></video:video>`
  return html`<url><loc>${watchUrl(origin, video.id)}</loc>${about}</url>\n`
}

/** Returns the entries one after the other, by descending ID. */
async function* byId<Row extends { id: string }>(
  read: (page: { before: string | undefined; limit: number }) => Promise<readonly Row[]>,
  urlOf: (row: Row) => string,
): AsyncGenerator<Html> {
  let before: string | undefined
  for (let left = perMap; left > 0; ) {
    const rows = await read({ before, limit: Math.min(batch, left) })
    yield html`${rows.map((row) => html`<url><loc>${urlOf(row)}</loc></url>\n`)}`
    left -= rows.length
    before = rows.at(-1)?.id
    if (rows.length < batch) return
  }
}
