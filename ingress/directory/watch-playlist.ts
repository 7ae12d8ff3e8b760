import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as publishers from '#sql/account/publishers.ts'
import * as playlists from '#sql/directory/playlists.ts'
import { type Html, html, queryString } from '../http/html/html.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { playlistUrl } from './present.ts'
import { renderVideoGrid, sendPage, viewerPageSettings } from './watch-page.ts'

const perPage = 24

export const playlist = route({
  ...viewerPageSettings,
  path: '/watch/playlists/{playlistId}',
  summary: 'Show the page of a playlist',
  params: z.object({ playlistId: pathId('playlist') }),
  query: z.object({ after: z.coerce.number().int().min(0).max(playlists.mostVideos).optional().catch(undefined) }),
  async handle({ params, query: { after }, db, ctx, origin, services }) {
    const found = await mustFind(playlists.find(db, params.playlistId), 'playlist')
    const rows = await playlists.listEntries(db, found.id, { before: after, limit: perPage + 1 })
    const shown = rows.slice(0, perPage)
    const last = rows.length > perPage ? shown.at(-1) : undefined
    const [first] = shown
    const main = html`<h1>${found.title}</h1>
<p class="quiet">Playlist · ${found.listed === 1 ? '1 video' : `${found.listed} videos`}</p>
${found.description !== '' && html`<div class="about"><p>${found.description}</p></div>`}
${first && after === undefined && html`<p><a href="/watch/${first.id}?list=${found.id}">Play all</a></p>`}
<section><h2>Videos</h2>${shown.length === 0 ? html`<p class="quiet">No videos yet.</p>` : renderVideoGrid(shown, origin, found.id)}
${last && html`<p class="more"><a href="/watch/playlists/${found.id}${queryString({ after: last.position })}">More videos</a></p>`}</section>`
    const head = html`<link rel="canonical" href="${playlistUrl(origin, found.id)}">
<meta property="og:type" content="website">
<meta property="og:url" content="${playlistUrl(origin, found.id)}">
<meta property="og:title" content="${found.title}">
<meta name="twitter:card" content="summary">
${found.visibility === 'unlisted' && html`<meta name="robots" content="noindex">`}`
    const publisher = await publishers.findOf(db, 'playlists', found.id)
    sendPage(
      ctx,
      { title: found.title, head, main, publisher },
      { origin, storageOrigin: services(storage).publicOrigin },
    )
  },
})

/** Schema of the query. `list` is the playlist in which a video is watched. Invalid values are ignored. */
export const InPlaylist = z.object({ list: Id.optional().catch(undefined) })

/**
 * Returns links to the previous and next video of a playlist. Returns empty content if the video is not in the
 * playlist.
 */
export async function renderPlaylistNavigation(
  db: Parameters<typeof playlists.find>[0],
  listId: string | undefined,
  videoId: string,
): Promise<Html | undefined> {
  const found = listId === undefined ? null : await playlists.find(db, listId)
  if (!found) return
  const neighbours = await playlists.findNeighbours(db, found.id, videoId)
  const link = (which: boolean, words: string, rel: string) => {
    const one = neighbours.find(({ is_next }) => is_next === which)
    return (
      one &&
      html`<a rel="${rel}" href="/watch/${one.id}?list=${found.id}"><span class="quiet">${words}</span> ${one.title ?? 'Untitled video'}</a>`
    )
  }
  return html`<nav class="list" aria-label="Playlist"><a href="/watch/playlists/${found.id}"><strong>${found.title}</strong></a>
${link(false, 'Previous:', 'prev')}
${link(true, 'Next:', 'next')}</nav>`
}
