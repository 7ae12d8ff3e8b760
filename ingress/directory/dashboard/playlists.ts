import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as playlists from '#sql/directory/playlists.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState, olderLink, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../playlists.ts'
import { Fields, renderPlaylistFields, toPlaylistBody } from './playlist-form.ts'

export const section = {
  title: 'Playlists',
  path: '/app/playlists',
  group: 'Media',
} as const satisfies DashboardSection

const perPage = 50

export const overview = page({
  path: '/playlists',
  summary: 'List playlists, newest first',
  section,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await playlists.list(db, member.orgId, { before, limit: perPage + 1 })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const main = html`<div class="title"><h1>Playlists</h1>${may('areas:write') && html`<a class="button primary" href="${section.path}/new">Create a playlist</a>`}</div>
${shown.length === 0 ? emptyState('No playlists yet.', 'Create a playlist. Its page plays your videos in order.') : table(shown)}
${last && olderLink(section.path, { before: last.id })}`
    return { title: 'Playlists', main }
  },
})

const table = (shown: readonly playlists.Playlist[]): Html => html`<table class="data stacks">
<caption class="unseen">Playlists</caption>
<thead><tr><th scope="col">Playlist</th><th scope="col">Visibility</th><th scope="col">Videos</th><th scope="col">Updated</th></tr></thead>
<tbody>${shown.map(
  (one) =>
    html`<tr><th scope="row" class="break"><a href="${section.path}/${one.id}">${one.title}</a></th><td data-label="Visibility">${one.visibility}</td>
<td data-label="Videos">${one.listed} of ${one.length} listed</td><td data-label="Updated">${ago(one.updated_at)}</td></tr>`,
)}</tbody></table>`

export const { show: askForPlaylist, submit: make } = formPage({
  path: '/playlists/new',
  summary: 'Create a playlist',
  section,
  permission: 'areas:write',
  fields: Fields,
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Playlists', section.path)}<h1>Create a playlist</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${renderPlaylistFields(filled)}
<button>Create</button></form>`
    return { title: 'Create a playlist', main }
  },
  async submit({ ask, given }) {
    const { id } = await ask(create, { body: toPlaylistBody(given) }, z.object({ id: Id }))
    return { to: `${section.path}/${id}`, told: 'Playlist created.' }
  },
})
