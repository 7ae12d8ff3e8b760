import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as playlists from '#sql/directory/playlists.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../playlists.ts'
import { Fields, renderPlaylistFields, toPlaylistBody } from './playlist-form.ts'

export const section = {
  title: 'Playlists',
  path: '/app/playlists',
  group: 'Video and live',
  guide: 'directory',
} as const satisfies DashboardSection

export const overview = page({
  path: '/playlists',
  summary: 'List playlists, newest first',
  section,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await playlists.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const main = html`<div class="title"><h1>Playlists</h1>${may('areas:write') && html`<a class="button primary" href="${section.path}/new">Create a playlist</a>`}</div>
${shown.length === 0 ? emptyState('No playlists yet.', 'Create a playlist. Its page plays your videos in order.', may('areas:write') && linkButton(`${section.path}/new`, 'Create a playlist')) : table(shown)}
${older(section.path)}`
    return { title: 'Playlists', main }
  },
})

const table = (shown: readonly playlists.Playlist[]): Html =>
  dataTable('Playlists', shown, {
    Playlist: (one) => html`<a href="${section.path}/${one.id}">${one.title}</a>`,
    Visibility: (one) => one.visibility,
    Videos: (one) => html`${one.listed} of ${one.length} listed`,
    Updated: (one) => ago(one.updated_at),
  })

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
