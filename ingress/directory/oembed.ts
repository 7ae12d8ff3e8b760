import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as videos from '#sql/directory/videos.ts'
import { getOpenBase, getPublicBase } from '#tasks/video/rules/open-url.ts'
import { html } from '../http/html/html.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { channelUrl } from './present.ts'
import { getTitle } from './watch-page.ts'

const notImplemented = problem(501, 'not_implemented', 'The format is not `json`.')

/** Size of a player in pixels if neither the video nor the request has a size. */
const usual = { width: 1280, height: 720 }

const most = z.coerce.number().int().min(1).max(10_000).optional()

export const read = route({
  method: 'GET',
  path: '/oembed',
  summary: 'Get the oEmbed data of a video page',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  cors: true,
  limit: { perMinute: 600, by: 'ip' },
  query: z.object({
    url: z.string().max(2_000),
    maxwidth: most,
    maxheight: most,
    format: z.string().max(20).default('json'),
  }),
  status: 200,
  raw: 'application/json',
  problems: ['not_found', notImplemented],
  async handle({ query: { url, maxwidth, maxheight, format }, db, ctx, origin }) {
    if (format !== 'json') throw notImplemented('Only `format=json` is supported.')
    const found = await mustFind(videos.find(db, idIn(url, [origin, getPublicBase(origin)])), 'video')
    const size = fitted(found, maxwidth, maxheight)
    const base = getOpenBase(origin, found.id)
    const title = getTitle(found)
    const { text } =
      html`<iframe src="${base}/embed" width="${size.width}" height="${size.height}" title="${title}" style="border:0" allow="autoplay; fullscreen; picture-in-picture" allowfullscreen></iframe>`
    const channel = found.channel_handle
    ctx.set('cache-control', 'no-cache')
    ctx.type = 'application/json'
    ctx.body = JSON.stringify({
      type: 'video',
      version: '1.0',
      title,
      ...(channel !== null && { author_name: found.channel_name, author_url: channelUrl(origin, channel) }),
      provider_name: new URL(getPublicBase(origin)).host,
      provider_url: `${getPublicBase(origin)}/watch`,
      ...(found.poster && {
        thumbnail_url: `${base}/poster.jpg`,
        thumbnail_width: size.full.width,
        thumbnail_height: size.full.height,
      }),
      width: size.width,
      height: size.height,
      html: text,
    })
  },
})

/**
 * Returns the ID in the URL of a watch page or player. Throws 400 if the URL is invalid. For any other URL, returns an
 * ID that does not exist, which leads to a 404.
 */
function idIn(given: string, origins: readonly string[]): string {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol))
    throw badRequest([{ field: 'query.url', issue: 'must be the URL of a page' }])
  const ours = origins.some((origin) => new URL(origin).host === url.host)
  const [, watch, id, ...rest] = url.pathname.split('/')
  const [, , , , embedded, player] = url.pathname.split('/')
  const isPage = watch === 'watch' && rest.every((part) => part === '')
  const isPlayer = url.pathname.startsWith('/v1/stream/open/') && player === 'embed'
  const named = Id.safeParse(isPage ? id : isPlayer ? embedded : undefined)
  return ours && named.success ? named.data : nobody
}

/** An ID that no object has. */
const nobody = '00000000-0000-7000-8000-000000000000'

function fitted(
  video: Pick<videos.Video, 'width' | 'height'>,
  maxWidth = usual.width,
  maxHeight = Number.MAX_SAFE_INTEGER,
) {
  const full = video.width && video.height ? { width: video.width, height: video.height } : usual
  const scale = Math.min(1, maxWidth / full.width, maxHeight / full.height)
  const whole = (pixels: number) => Math.max(1, Math.round(pixels * scale))
  return { width: whole(full.width), height: whole(full.height), full }
}
