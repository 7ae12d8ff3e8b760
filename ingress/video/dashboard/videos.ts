import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as assets from '#sql/video/assets.ts'
import { acceptedFormats, fileInputTypes } from '#tasks/video/rules/accepted.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import type { DashboardSection, OrgRegion } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago, amountOf, duration } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault } from '../../http/html/parts.ts'
import { ChosenFile, sessionPart, uploadForm } from '../../http/html/upload-form.ts'
import { storage } from '../../http/services.ts'
import { stageLabels } from '../assets/progress.ts'
import { start } from '../uploads.ts'

export const section = {
  title: 'Videos',
  path: '/app/videos',
  group: 'Video and live',
  guide: 'video',
} as const satisfies DashboardSection

const query = z.object({ status: optionalField(assets.Status), before: Id.optional() })

export const overview = page({
  path: '/videos',
  summary: 'List videos, newest first',
  section,
  query,
  async view({ db, member, may, region, query: { status, before } }) {
    const where = whereOf(assets.filters, { status })
    const found = await assets.list(db, member.orgId, { where, metadata: undefined, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const none =
      status || before
        ? emptyState('No videos match these filters.')
        : emptyState(
            'No videos yet.',
            'Upload a video. You can watch it within seconds.',
            may('areas:write') && linkButton('/app/videos/upload', 'Upload a video'),
          )
    const main = html`<div class="title"><h1>Videos</h1><a class="button" href="/app/videos/analytics">Analytics</a> ${may('areas:write') && html`<a class="button" href="/app/videos/import">Import from a URL</a> <a class="button primary" href="/app/videos/upload">Upload a video</a>`}</div>
${(shown.length > 0 || status) && filterForm(filters, { status })}
${shown.length === 0 ? none : await region(`videos/${status ?? 'all'}/${before ?? ''}`)}
${older(section.path, { status })}
${may('areas:write') && html`<p><a href="${section.path}/embedding">Sites that can embed players</a></p>`}`
    return { title: 'Videos', main }
  },
})

/** A page of the list. Its words are the status and the ID before which the page begins. */
export const videosRegion: OrgRegion = {
  everyMs: 3_000,
  async read(db, orgId, [status, before]) {
    const where = whereOf(assets.filters, { status: assets.Status.safeParse(status).data })
    const page = { where, metadata: undefined, before: Id.safeParse(before).data, limit: perPage }
    return videoTable(await assets.list(db, orgId, page))
  },
}

const filters = [{ name: 'status', label: 'Status', any: 'All', options: assets.Status.options }]

const videoTable = (shown: readonly assets.Asset[]): Html =>
  dataTable({ caption: 'Videos', key: ({ id }) => id }, shown, {
    Video: (one) => html`<a href="/app/videos/${one.id}">${titleOf(one)}</a>`,
    Status: (one) => renderStatus(one),
    Length: (one) => (one.duration_seconds === null ? '–' : duration(one.duration_seconds)),
    Size: (one) => amountOf('bytes', one.bytes),
    Visibility: (one) => one.visibility,
    Uploaded: (one) => ago(one.created_at),
  })

/** True if everyone who has the URL can watch the video. */
export const isOpen = ({ visibility }: Pick<assets.Asset, 'visibility'>): boolean =>
  visibility === 'unlisted' || visibility === 'public'

/** True if members can watch the video now. */
export const isPlayable = ({ package_id, visibility, status }: assets.Asset): boolean =>
  package_id !== null && visibility !== 'private' && status !== 'failed'

export const titleOf = ({ title, filename }: Pick<assets.Asset, 'title' | 'filename'>): string =>
  title ?? filename ?? 'Untitled'

export function renderStatus({ status, stage }: Pick<assets.Asset, 'status' | 'stage'>): Html {
  return html`${statusBadge(status)}${status === 'processing' && html` <span class="quiet">${stageLabels[stage]}</span>`}`
}

export const { show: askForVideo, submit: startUpload } = formPage({
  path: '/videos/upload',
  summary: 'Upload a video',
  section,
  permission: 'areas:write',
  fields: ChosenFile.extend({ title: optionalField(z.string()) }),
  async view({ member, services, host, filled, fault }) {
    const more = textField(filled, {
      name: 'title',
      label: 'Title',
      hint: 'Optional. Leave blank to use the file name.',
    })
    const given = { path: '/app/videos/upload', label: 'Video', accept: fileInputTypes, words: 'Upload', more }
    const main = html`${parentLink('Videos', section.path)}<h1>Upload a video</h1>${renderFault(fault)}
<p class="quiet">Video: ${acceptedFormats.video}. Animated images: ${acceptedFormats.image}. Audio: ${acceptedFormats.audio}.</p>
${uploadForm(member, filled, given)}`
    return { title: 'Upload a video', main, reaches: { sends: [getPublicBase(host), services(storage).publicOrigin] } }
  },
  async submit({ ask, host, given: { bytes, filename, type, title } }) {
    const browser = { origins: [host], expires_in: tokenSeconds }
    const facts = { bytes, filename, mimeType: type || undefined, title }
    const { uploadId, assetId, upload_token } = await ask(
      start,
      { body: { ...facts, browser } },
      z.object({ uploadId: Id, assetId: Id, upload_token: z.string() }),
    )
    const to = `/app/videos/${assetId}`
    const session = {
      kind: 'video',
      id: uploadId,
      token: upload_token,
      api: getPublicBase(host),
      to,
      resume: to,
    } as const
    return { view: { title: 'Upload a video', main: sessionPart(session) } }
  },
})

/** Time to live of an upload token in seconds. It is as long as an upload can take. */
export const tokenSeconds = 86_400
