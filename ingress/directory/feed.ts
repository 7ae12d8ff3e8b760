import { Feed } from 'feed'
import * as channels from '#sql/directory/channels.ts'
import * as videos from '#sql/directory/videos.ts'
import { everything } from '#sql/filters.ts'
import { getOpenBase, getPublicBase } from '#tasks/video/rules/open-url.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { cleanXmlText, feedText } from '../http/xml.ts'
import { parseHandle } from './fields.ts'
import { channelUrl, watchUrl } from './present.ts'
import { getTitle } from './watch-page.ts'

const shown = 50

export const feedUrl = (origin: string, handle: string): string => `${channelUrl(origin, handle)}/feed.xml`

export const channel = route({
  method: 'GET',
  path: '/watch/channels/{handle}/feed.xml',
  summary: 'Get the feed of a channel',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  cors: true,
  limit: { perMinute: 600, by: 'ip' },
  status: 200,
  raw: 'application/rss+xml; charset=utf-8',
  problems: ['not_found'],
  async handle({ params, db, ctx, origin }) {
    const found = await mustFind(channels.findByHandle(db, parseHandle(params.handle)), 'channel')
    const rows = await videos.list(db, { channelId: found.id }, { where: everything, before: undefined, limit: shown })
    ctx.set('cache-control', 'no-cache')
    ctx.type = 'application/rss+xml; charset=utf-8'
    ctx.body = feedOf(found, rows, origin)
  },
})

function feedOf(found: channels.Channel, rows: readonly videos.Video[], origin: string): string {
  const feed = new Feed({
    title: cleanXmlText(found.name),
    description: cleanXmlText(found.description) || cleanXmlText(found.name),
    link: channelUrl(origin, found.handle),
    generator: getPublicBase(origin),
    feedLinks: { rss: feedUrl(origin, found.handle) },
    ...(found.language && { language: found.language }),
    ...(rows[0] && { updated: rows[0].published_at }),
  })
  for (const video of rows) {
    const url = watchUrl(origin, video.id)
    feed.addItem({
      title: feedText(getTitle(video)),
      id: url,
      link: url,
      description: feedText(video.description),
      date: video.published_at,
      category: video.tags.map((tag) => ({ name: cleanXmlText(tag) })),
      // RSS 2.0 requires a length. A stream has no known length, so 0 is used.
      enclosure: {
        url: `${getOpenBase(origin, video.id)}/master.m3u8`,
        type: 'application/vnd.apple.mpegurl',
        length: 0,
      },
    })
  }
  return feed.rss2()
}
