import { z } from 'zod'
import { TooBroadError } from '#sql/bounded.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import type { StoredCue } from '#sql/video/caption-cues.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { languageName } from '#tasks/video/rules/captions/languages.ts'
import { Language } from '#tasks/video/rules/captions/own-captions.ts'
import { requireMember } from '../../http/dashboard/admit.ts'
import { page, shared } from '../../http/dashboard/page.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { count, counted } from '../../http/html/format.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { storage } from '../../http/services.ts'
import { textOf } from '../captions/files.ts'
import { findInAsset, highlight } from '../captions/search.ts'
import { presentCue, transcriptText } from '../captions/transcript-shape.ts'
import { cuesOf } from '../transcripts.ts'
import { section, titleOf } from './videos.ts'

const params = z.object({ asset_id: pathId('asset') })

const pathOf = (assetId: string): string => `${section.path}/${assetId}`

/** Maximum number of cues on the page. The files have all of them. */
const [mostCues, mostHits] = [500, 100]

export const show = page({
  path: '/videos/{asset_id}/transcript',
  summary: 'Show the transcript of a video',
  section,
  params,
  permission: 'contents:read',
  query: z.object({ language: Language, q: z.string().trim().max(200).optional() }),
  async view({ db, member, doer, params: { asset_id: id }, query: { language, q = '' } }) {
    const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
    const { cues } = await cuesOf(db, member.orgId, id, language)
    await recordContentsRead(db, doer, { kind: 'video', id })
    const title = `Transcript: ${languageName(language)}`
    const file = (type: string, words: string) =>
      html`<a class="button" href="${pathOf(id)}/transcript/${language}.${type}" download>${words}</a>`
    const main = html`${parentLink(titleOf(asset), pathOf(id))}<h1>${title}</h1>
<p class="actions">${file('txt', 'Download text')} ${file('vtt', 'Download WebVTT')} ${file('json', 'Download JSON')}</p>
${filterForm([{ name: 'q', label: 'Words', type: 'search', most: 200 }], { q: q || undefined }, { button: 'Search all languages', hidden: { language } })}
${q === '' ? cueList(cues) : await hitList(db, { orgId: member.orgId, assetId: id }, q)}`
    return { title, main }
  },
})

function cueList(cues: readonly StoredCue[]): Html {
  if (cues.length === 0) return emptyState('No words in this video.')
  const shown = cues.slice(0, mostCues)
  const rest =
    cues.length > shown.length &&
    html`<p class="quiet">The first ${count(mostCues)} of ${counted(cues.length, 'cue')}.</p>`
  return html`<dl class="facts">${shown.map(({ from_seconds, speaker, text }) => line(from_seconds, html`${speaker !== null && html`<b>${speaker}:</b> `}${text}`))}</dl>${rest}`
}

async function hitList(db: DatabasePool, of: { orgId: string; assetId: string }, q: string): Promise<Html> {
  const hits = await findInAsset(db, of, { q, limit: mostHits }).catch((error: unknown) => {
    if (error instanceof TooBroadError) return error
    throw error
  })
  if (hits instanceof TooBroadError) return emptyState(hits.message)
  if (hits.length === 0) return emptyState('No cues match these words.')
  return html`<dl class="facts">${hits.map((hit) => line(hit.from_seconds, html`${highlight(hit)} <span class="quiet">${hit.language}</span>`))}</dl>`
}

const line = (seconds: number, content: Content): Html =>
  html`<div><dt>${clock(seconds)}</dt><dd class="break">${content}</dd></div>`

/** Returns a time as `1:02:03`. */
function clock(seconds: number): string {
  const [h, m, s] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor) as [number, number, number]
  const two = (value: number) => String(value).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

const types = { txt: 'text/plain', vtt: 'text/vtt', json: 'application/json' } as const

export const file = route({
  ...shared,
  method: 'GET',
  path: '/videos/{asset_id}/transcript/{file}',
  summary: 'Download the transcript of a video',
  params: params.extend({ file: z.string().regex(/^[A-Za-z0-9-]{2,35}\.(?:txt|vtt|json)$/) }),
  raw: true,
  async handle(call) {
    const allowed = await requireMember(call, { permission: 'contents:read' })
    if (!allowed) return
    const { db, member, doer } = allowed
    const { asset_id: id, file } = call.params
    const [language = '', type] = file.split('.') as [string, keyof typeof types]
    const { row, cues } = await cuesOf(db, member.orgId, id, language)
    await recordContentsRead(db, doer, { kind: 'video', id })
    const write = {
      txt: async () => transcriptText(cues),
      vtt: async () => await textOf(db, call.services(storage), id, row.language),
      json: async () =>
        JSON.stringify({ language: row.language, source: row.source, cues: cues.map(presentCue) }, null, 2),
    }
    call.ctx.type = `${types[type]}; charset=utf-8`
    call.ctx.set('content-disposition', `attachment; filename="${file}"`)
    call.ctx.body = await write[type]()
  },
})
