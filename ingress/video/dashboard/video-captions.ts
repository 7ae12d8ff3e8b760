import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as assets from '#sql/video/assets.ts'
import * as captions from '#sql/video/captions.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { getOpenBase } from '#tasks/video/rules/open-url.ts'
import { action, formPage, type PageCall } from '../../http/dashboard/page.ts'
import { linesField, optionalField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { storage } from '../../http/services.ts'
import { textOf } from '../captions/files.ts'
import { put, remove } from '../captions.ts'
import { mint } from '../playback-sessions.ts'
import { section, titleOf } from './videos.ts'

const params = z.object({ asset_id: pathId('asset') })

const pathOf = (assetId: string): string => `${section.path}/${assetId}`

/** Maximum size of a form with captions in bytes. The form is percent-encoded. */
const formBytes = 2 * 1024 ** 2

/** Returns the player URL for the captions page, or `undefined` if the video cannot be played. */
async function playerOf(
  { ask, host }: Pick<PageCall<unknown, unknown>, 'ask' | 'host'>,
  asset: assets.Asset,
): Promise<string | undefined> {
  if (asset.package_id === null || asset.visibility === 'private' || asset.status === 'failed') return undefined
  if (asset.visibility !== 'signed') return `${getOpenBase(host, asset.id)}/embed`
  const given = { params: { assetId: asset.id }, body: {} }
  return (await ask(mint, given, z.object({ embedUrl: z.url() }))).embedUrl
}

const film = (player: string | undefined): Html | undefined =>
  player === undefined
    ? undefined
    : html`<iframe class="player" src="${player}" title="Player" allow="fullscreen"></iframe>`

export const { show, submit } = formPage({
  path: '/videos/{asset_id}/tracks',
  summary: 'Show the captions of a video',
  section,
  permission: 'areas:write',
  params,
  query: z.object({ language: z.string().optional() }),
  formBytes,
  fields: z.object({
    language: z.string(),
    name: optionalField(z.string()),
    default: z.string().optional(),
    text: z.string(),
  }),
  async view(call) {
    const {
      db,
      member,
      doer,
      services,
      params: { asset_id: id },
      query,
      filled,
      fault,
    } = call
    const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
    const row = query.language === undefined ? null : await captions.find(db, member.orgId, id, query.language)
    if (query.language !== undefined && row?.state !== 'ready') throw notFound('captions')
    const text =
      row && Object.keys(filled.given).length === 0 ? await textOf(db, services(storage), id, row.language) : ''
    const player = await playerOf(call, asset)
    if (row) await recordContentsRead(db, doer, { kind: 'video', id })
    const isDefault = Object.keys(filled.given).length > 0 ? filled.given.default !== undefined : row?.is_default
    const title = row ? `Captions: ${row.language}` : 'Add captions'
    const main = html`${parentLink(titleOf(asset), pathOf(id))}<h1>${title}</h1>${renderFault(fault)}
<div class="beside">${film(player)}
<form class="form" method="post">${tokenField(member)}
${row ? html`<input type="hidden" name="language" value="${row.language}">` : textField(filled, { name: 'language', label: 'Language', hint: 'For example, en, de or pt-BR.', required: true })}
${textField(filled, { name: 'name', label: 'Name in players', hint: 'Optional. Leave blank to use the language name.', otherwise: row?.name ?? '' })}
<div class="field"><label><input type="checkbox" name="default" value="yes"${isDefault && html` checked`}> Default for viewers who have not chosen a language</label></div>
${linesField(filled, { name: 'text', label: 'Captions', hint: 'WebVTT or SRT.', otherwise: text, rows: 24 })}
<p class="actions"><button class="primary">Save</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form></div>`
    return { title, main, reaches: { frames: player === undefined ? [] : [new URL(player).origin] } }
  },
  async submit({ ask, params: { asset_id: assetId }, given: { language, name, default: isDefault, text } }) {
    const body = { text, name, default: isDefault !== undefined }
    await ask(put, { params: { assetId, language }, body }, z.unknown())
    return { to: pathOf(assetId), told: 'Captions saved. Players use them the next time they start.' }
  },
})

export const drop = action({
  path: '/videos/{asset_id}/tracks/remove',
  summary: 'Delete captions',
  permission: 'areas:write',
  params,
  fields: z.object({ language: z.string() }),
  back: ({ asset_id }) => pathOf(asset_id),
  async perform({ ask, given: { language }, params: { asset_id: assetId } }) {
    await ask(remove, { params: { assetId, language } }, z.unknown())
    return { to: pathOf(assetId), told: 'Captions deleted.' }
  },
})
