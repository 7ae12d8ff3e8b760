import { z } from 'zod'
import * as playlists from '#sql/directory/playlists.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { remove, update } from '../playlists.ts'
import { Fields, renderPlaylistFields, toPlaylistBody } from './playlist-form.ts'
import { section } from './playlists.ts'

const params = z.object({ playlist_id: pathId('playlist') })

const pathOf = (id: string): string => `${section.path}/${id}`

export const read = page({
  path: '/playlists/{playlist_id}',
  summary: 'Show a playlist',
  section,
  params,
  async view({ db, member, may, params: { playlist_id: id } }) {
    const found = await mustFind(playlists.findOwn(db, member.orgId, id), 'playlist')
    const videos = await playlists.listContents(db, member.orgId, id)
    const main = html`${parentLink('Playlists', section.path)}<div class="title"><h1>${found.title}</h1>${may('areas:write') && html`<p class="actions spaced"><a class="button primary" href="${pathOf(id)}/change">Edit playlist</a> <a class="button" href="${pathOf(id)}/delete">Delete playlist</a></p>`}</div>
<dl class="facts"><div><dt>Visibility</dt><dd>${found.visibility}</dd></div>
<div><dt>Updated</dt><dd>${ago(found.updated_at)}</dd></div>
<div><dt>Page</dt><dd><a href="/watch/playlists/${id}">Open page</a></dd></div>
<div><dt>ID</dt><dd class="id">${id}</dd></div></dl>
${found.description !== '' && html`<p class="break">${found.description}</p>`}
<section><h2>Videos</h2>${videos.length === 0 ? emptyState('No videos yet. Edit the playlist to add some.') : table(videos)}</section>`
    return { title: found.title, main }
  },
})

const table = (videos: Awaited<ReturnType<typeof playlists.listContents>>): Html =>
  dataTable('Playlist videos', videos, {
    Video: ({ id, title }) => title ?? html`<span class="id">${id}</span>`,
    Listed: ({ id, listed }) => (listed ? html`<a href="/watch/${id}">yes</a>` : 'no, not public'),
  })

export const { show: askToChange, submit: change } = formPage({
  path: '/playlists/{playlist_id}/change',
  summary: 'Edit a playlist',
  section,
  permission: 'areas:write',
  params,
  fields: Fields,
  async view({ db, member, params: { playlist_id: id }, filled, fault }) {
    const found = await mustFind(playlists.findOwn(db, member.orgId, id), 'playlist')
    const videos = (await playlists.listContents(db, member.orgId, id)).map((video) => video.id).join('\n')
    const { title, description, visibility } = found
    const main = html`${parentLink(title, pathOf(id))}<h1>Edit ${title}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${renderPlaylistFields(filled, { title, description, visibility, videos })}
<p class="actions"><button>Save</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: `Edit ${title}`, main }
  },
  async submit({ ask, params: { playlist_id: playlistId }, given }) {
    await ask(update, { params: { playlistId }, body: toPlaylistBody(given) }, z.unknown())
    return { to: pathOf(playlistId), told: 'Playlist updated.' }
  },
})

export const { show: askToDelete, submit: drop } = formPage({
  path: '/playlists/{playlist_id}/delete',
  summary: 'Delete a playlist',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params: { playlist_id: id }, fault }) {
    const { title } = await mustFind(playlists.findOwn(db, member.orgId, id), 'playlist')
    const main = html`${parentLink(title, pathOf(id))}<h1>Delete ${title}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The playlist and its page are deleted. The videos are kept.</p>
<p class="actions"><button class="grave">Delete playlist</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: `Delete ${title}`, main }
  },
  async submit({ ask, params: { playlist_id: playlistId } }) {
    await ask(remove, { params: { playlistId } }, z.unknown())
    return { to: section.path, told: 'Playlist deleted.' }
  },
})
