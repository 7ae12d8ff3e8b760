import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { InstantInUtc } from '#lib/input-types.ts'
import * as publishers from '#sql/account/publishers.ts'
import * as channels from '#sql/directory/channels.ts'
import * as videos from '#sql/directory/videos.ts'
import { everything } from '#sql/filters.ts'
import { getOpenBase } from '#tasks/video/rules/open-url.ts'
import { type Html, html, queryString } from '../http/html/html.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { feedUrl } from './feed.ts'
import { parseHandle } from './fields.ts'
import { renderOpenGraph } from './open-graph.ts'
import { channelUrl } from './present.ts'
import { formatDay, formatViews, getTitle, renderVideoGrid, sendPage, viewerPageSettings } from './watch-page.ts'
import { InPlaylist, renderPlaylistNavigation } from './watch-playlist.ts'

/** Number of videos next to the current one, and number of videos per page of a channel. */
const [beside, perPage] = [8, 24]

export const index = route({
  ...viewerPageSettings,
  path: '/watch',
  summary: 'Show the page of the newest videos',
  async handle({ db, ctx, origin, services }) {
    const rows = await videos.list(db, {}, { where: everything, before: undefined, limit: perPage })
    const main = html`<h1>Videos</h1>
<p class="quiet">Public videos of this server, newest first.</p>
<section>${rows.length === 0 ? html`<p class="quiet nothing">No public videos yet.</p>` : renderVideoGrid(rows, origin)}</section>`
    const publisher = await publishers.findCommon(
      db,
      'videos',
      rows.map(({ id }) => id),
    )
    sendPage(ctx, { title: 'Videos', main, publisher }, { origin, storageOrigin: services(storage).publicOrigin })
  },
})

export const video = route({
  ...viewerPageSettings,
  path: '/watch/{uuid}',
  summary: 'Show the page of a video',
  params: z.object({ uuid: pathId('video') }),
  query: InPlaylist,
  async handle({ params, query, db, ctx, origin, services }) {
    const found = await mustFind(videos.find(db, params.uuid), 'video')
    const { channel_id: channelId, channel_handle: handle, channel_name: name } = found
    const inChannel =
      channelId === null
        ? []
        : await videos.list(db, { channelId }, { where: everything, before: undefined, limit: beside + 1 })
    const more = inChannel.filter(({ id }) => id !== found.id).slice(0, beside)
    const main = html`${screen(found, origin)}
<h1>${getTitle(found)}</h1>
<p class="quiet about">${handle !== null && html`<a href="/watch/channels/${handle}">${name}</a> · `}${formatDay(found.published_at)} · ${formatViews(found)}</p>
${await renderPlaylistNavigation(db, query.list, found.id)}
${(found.description !== '' || found.tags.length > 0) && about(found)}
${more.length > 0 && html`<section><h2>More from ${name}</h2>${renderVideoGrid(more, origin)}</section>`}`
    const publisher = await publishers.findOf(db, 'videos', found.id)
    const shown = { title: getTitle(found), head: renderOpenGraph(found, origin), main, publisher }
    sendPage(ctx, shown, { origin, storageOrigin: services(storage).publicOrigin })
  },
})

export const channel = route({
  ...viewerPageSettings,
  path: '/watch/channels/{handle}',
  summary: 'Show the page of a channel',
  query: z.object({ at: InstantInUtc.optional().catch(undefined), id: Id.optional().catch(undefined) }),
  async handle({ params, query: { at, id }, db, ctx, origin, services }) {
    const found = await mustFind(channels.findByHandle(db, parseHandle(params.handle)), 'channel')
    const before = at && id ? { at, id } : undefined
    const rows = await videos.list(db, { channelId: found.id }, { where: everything, before, limit: perPage + 1 })
    const shown = rows.slice(0, perPage)
    const last = rows.length > perPage ? shown.at(-1) : undefined
    const older = last && queryString({ at: last.published_at.toISOString(), id: last.id })
    const main = html`<h1>${found.name}</h1>
<p class="quiet">@${found.handle} · ${found.videos + found.shorts === 1 ? '1 video' : `${found.videos + found.shorts} videos`}</p>
${
  (found.description !== '' || found.links.length > 0) &&
  html`<div class="about">${found.description !== '' && html`<p>${found.description}</p>`}
${found.links.map((link) => html`<p><a href="${link}" rel="nofollow noopener ugc">${link}</a></p>`)}</div>`
}
<section><h2>Videos</h2>${shown.length === 0 ? html`<p class="quiet">No videos yet.</p>` : renderVideoGrid(shown, origin)}
${older && html`<p class="more"><a href="/watch/channels/${found.handle}${older}">Older videos</a></p>`}</section>`
    const head = html`<link rel="alternate" type="application/rss+xml" title="${found.name}" href="${feedUrl(origin, found.handle)}">
<link rel="canonical" href="${channelUrl(origin, found.handle)}">
<meta property="og:type" content="profile">
<meta property="og:url" content="${channelUrl(origin, found.handle)}">
<meta property="og:title" content="${found.name}">
<meta name="twitter:card" content="summary">`
    const publisher = await publishers.findOf(db, 'channels', found.id)
    sendPage(
      ctx,
      { title: found.name, head, main, publisher },
      { origin, storageOrigin: services(storage).publicOrigin },
    )
  },
})

/** Maximum length of the longer side of a player in pixels. */
const widest = 2560

function screen({ id, width, height, ...video }: videos.Video, origin: string): Html {
  const [across, down] = [width ?? 16, height ?? 9]
  const scale = widest / Math.max(across, down)
  const shape = `<svg xmlns="http://www.w3.org/2000/svg" width="${across * scale}" height="${down * scale}"/>`
  return html`<div class="screen"><div><img src="data:image/svg+xml,${encodeURIComponent(shape)}" alt="">
<iframe src="${getOpenBase(origin, id)}/embed?title=0" title="${getTitle(video)}" allow="autoplay; fullscreen; picture-in-picture"></iframe></div></div>`
}

const about = ({ description, tags }: videos.Video): Html =>
  html`<div class="about">${description !== '' && html`<p>${description}</p>`}${tags.length > 0 && html`<ul class="tags">${tags.map((tag) => html`<li>${tag}</li>`)}</ul>`}</div>`
