import type { Video } from '#sql/directory/videos.ts'
import { getOpenBase, getPublicBase } from '#tasks/video/rules/open-url.ts'
import { Html, html, queryString } from '../http/html/html.ts'
import { watchUrl } from './present.ts'
import { getTitle } from './watch-page.ts'

const shown = 200

export function renderOpenGraph(video: Video, origin: string): Html {
  const base = getOpenBase(origin, video.id)
  const url = watchUrl(origin, video.id)
  const title = getTitle(video)
  const description = video.description.replace(/\s+/g, ' ').trim().slice(0, shown)
  const image = video.poster ? `${base}/poster.jpg` : undefined
  const size = { width: video.width ?? 1280, height: video.height ?? 720 }
  const properties: [string, string | number | undefined][] = [
    ['og:type', 'video.other'],
    ['og:url', url],
    ['og:title', title],
    ['og:description', description || undefined],
    ['og:site_name', video.channel_name ?? undefined],
    ['og:image', image],
    ['og:video', `${base}/embed`],
    ['og:video:type', 'text/html'],
    ['og:video:width', size.width],
    ['og:video:height', size.height],
    ['video:duration', video.duration_seconds === null ? undefined : Math.round(video.duration_seconds)],
    ['video:release_date', video.published_at.toISOString()],
    ...video.tags.map((tag): [string, string] => ['video:tag', tag]),
  ]
  const names: [string, string | number | undefined][] = [
    ['description', description || undefined],
    ['twitter:card', 'player'],
    ['twitter:title', title],
    ['twitter:description', description || undefined],
    ['twitter:image', image],
    ['twitter:player', `${base}/embed`],
    ['twitter:player:width', size.width],
    ['twitter:player:height', size.height],
  ]
  const object = {
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: title,
    description: description || title,
    thumbnailUrl: image,
    uploadDate: video.published_at.toISOString(),
    duration: video.duration_seconds === null ? undefined : `PT${Math.round(video.duration_seconds)}S`,
    embedUrl: `${base}/embed`,
    interactionStatistic: {
      '@type': 'InteractionCounter',
      interactionType: { '@type': 'WatchAction' },
      userInteractionCount: video.views,
    },
  }
  const oembed = `${getPublicBase(origin)}/oembed${queryString({ url, format: 'json' })}`
  return html`<link rel="canonical" href="${url}">
<link rel="alternate" type="application/json+oembed" href="${oembed}" title="${title}">
${properties.map(([name, value]) => value !== undefined && html`<meta property="${name}" content="${value}">\n`)}
${names.map(([name, value]) => value !== undefined && html`<meta name="${name}" content="${value}">\n`)}
<script type="application/ld+json">${new Html(JSON.stringify(object).replaceAll('<', '\\u003c'))}</script>`
}
