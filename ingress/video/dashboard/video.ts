import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { dashboardCaller } from '#sql/account/keys/dashboard-key.ts'
import * as assets from '#sql/video/assets.ts'
import * as captionRows from '#sql/video/captions.ts'
import * as uploads from '#sql/video/uploads.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { getSpeechEngine } from '#tasks/video/rules/captions/speech-engine.ts'
import { shownPosterKey } from '#tasks/video/rules/keys.ts'
import { getOpenBase, getPublicBase } from '#tasks/video/rules/open-url.ts'
import { action, formPage, type PageCall, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, selectField } from '../../http/html/form.ts'
import { amountOf, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { sessionPart, uploadForm } from '../../http/html/upload-form.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { signingSecret, storage } from '../../http/services.ts'
import { createUploadGrant, issueUploadToken } from '../../http/upload-tokens.ts'
import { remove, setVisibility } from '../assets.ts'
import { create } from '../captions.ts'
import { mint } from '../playback-sessions.ts'
import { hasEnded } from '../uploads/status.ts'
import { captionsPart } from './captions-part.ts'
import { renderVideoCharts } from './video-charts.ts'
import { embedPart } from './video-embed.ts'
import { isOpen, isPlayable, section, titleOf, tokenSeconds } from './videos.ts'

const params = z.object({ asset_id: pathId('asset') })

const pathOf = (assetId: string): string => `${section.path}/${assetId}`

const posterSeconds = 600

export const read = page({
  path: '/videos/{asset_id}',
  summary: 'Show a video',
  section,
  params,
  async view({ db, member, may, region, services, host, params: { asset_id: id } }) {
    const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
    const upload = asset.status === 'uploading' ? await uploads.findByAsset(db, id) : null
    const [tracks, engine] = await Promise.all([captionRows.list(db, id), getSpeechEngine(db)])
    const store = services(storage)
    const poster = asset.poster && (await store.signGet(shownPosterKey(asset), posterSeconds))
    const writes = may('areas:write')
    const isLost = asset.status === 'failed' || asset.status === 'aborted'
    const main = html`${parentLink('Videos', section.path)}<div class="title"><h1>${titleOf(asset)}</h1>${writes && html`<a class="button" href="${pathOf(id)}/facts">Details</a>`}</div>
${asset.description && html`<p class="lead">${asset.description}</p>`}
${may('contents:read') && isPlayable(asset) ? playPart(asset, poster) : poster && html`<img class="poster" src="${poster}" alt="">`}
${await region(`video/${id}`)}
${upload && !hasEnded(upload) && writes && html`<section><h2>The upload is not complete</h2><p class="lead">Choose the same file again to send its missing parts.</p>${uploadForm(member, nothing, { path: `${pathOf(id)}/resume`, label: asset.filename ?? 'File', bytes: upload.bytes, words: 'Resume' })}</section>`}
${
  !isLost && [
    await embedPart({ db, host, member, services }, asset),
    await renderVideoCharts(db, asset),
    writes && visibilityForm(member, asset),
    captionsPart({ path: pathOf(id), member, asset, tracks, engine, writes, reads: may('contents:read') }),
    await region(`extras/${id}`),
    extrasLinks(asset, writes),
  ]
}
${writes && html`<section><h2>Delete</h2><p class="lead">Viewers lose access to the video at their next request. You cannot undo this.</p><a class="button" href="${pathOf(id)}/remove">Delete video</a></section>`}`
    const reaches = {
      pictures: [store.publicOrigin],
      sends: upload ? [getPublicBase(host), store.publicOrigin] : [],
      frames: ["'self'", new URL(getPublicBase(host)).origin],
    }
    return { title: titleOf(asset), main, reaches }
  },
})

/** Renders a link to the player. With JavaScript, the player replaces the link and starts. */
const playPart = (asset: assets.Asset, poster: string | false | null): Html =>
  html`<p class="play"><a href="${pathOf(asset.id)}/watch" data-player="${pathOf(asset.id)}/play" data-title="${titleOf(asset)}">${poster && html`<img class="poster" src="${poster}" alt="">`}<span class="button primary">Play<span class="unseen"> ${titleOf(asset)}</span></span></a></p>`

const nothing: FormState = { given: {}, faults: {} }

const visibilities = [
  ['private', 'private: no one'],
  ['signed', 'signed: viewers with a token'],
  ['unlisted', 'unlisted: everyone who has the URL'],
  ['public', 'public: everyone, and the video is listed'],
] as const

/** Renders links to the pages that change a video's clips, chapters, images and audio tracks. */
const extrasLinks = ({ id, package_id, width, status }: assets.Asset, writes: boolean): Html =>
  html`${
    writes &&
    html`<p class="actions spaced">${package_id !== null && html`<a class="button" href="${pathOf(id)}/clip">Cut a clip</a> `}<a class="button" href="${pathOf(id)}/chapters">Chapters</a> <a class="button" href="${pathOf(id)}/poster">Poster</a>${
      package_id !== null &&
      width !== null &&
      html` <a class="button" href="${pathOf(id)}/preview">Animated preview</a>`
    }${status === 'ready' && width !== null && html` <a class="button" href="${pathOf(id)}/sounds">Audio tracks</a>`}</p>`
  }`

const visibilityForm = (
  member: Member,
  { id, visibility }: assets.Asset,
): Html => html`<form class="form spaced" method="post" action="${pathOf(id)}/visibility">${tokenField(member)}
${selectField(nothing, { name: 'visibility', label: 'Visibility', options: visibilities, otherwise: visibility })}
<button>Save</button></form>`

/** Returns the URL of the player for a member, and records that the member views the video. */
async function openPlayer({ db, member, doer, ask, host }: PageCall<object, object>, id: string) {
  const asset = await mustFind(assets.find(db, member.orgId, id), 'asset')
  const given = { params: { assetId: id }, body: {} }
  const player = isOpen(asset)
    ? `${getOpenBase(host, id)}/embed`
    : (await ask(mint, given, z.object({ embedUrl: z.url() }))).embedUrl
  await recordContentsRead(db, doer, { kind: 'video', id })
  return { asset, player }
}

export const play = page({
  path: '/videos/{asset_id}/play',
  summary: 'Go to the player of a video',
  section,
  params,
  permission: 'contents:read',
  view: async (call) => ({ to: `${(await openPlayer(call, call.params.asset_id)).player}?autoplay=1` }),
})

export const watch = page({
  path: '/videos/{asset_id}/watch',
  summary: 'Watch a video',
  section,
  params,
  permission: 'contents:read',
  async view(call) {
    const { asset, player } = await openPlayer(call, call.params.asset_id)
    const main = html`${parentLink(titleOf(asset), pathOf(asset.id))}<h1>${titleOf(asset)}</h1>
<iframe class="player" src="${player}" title="Player" allow="fullscreen; autoplay"></iframe>
<p class="quiet">${amountOf('bytes', asset.bytes)}, uploaded ${formatInstant(asset.created_at)} UTC</p>`
    return { title: titleOf(asset), main, reaches: { frames: [new URL(player).origin] } }
  },
})

export const resume = action({
  path: '/videos/{asset_id}/resume',
  summary: 'Resume an upload',
  permission: 'areas:write',
  params,
  fields: z.object({ bytes: z.string(), filename: z.string(), type: z.string() }),
  back: ({ asset_id }) => pathOf(asset_id),
  async perform({ db, member, services, host, params: { asset_id: id } }) {
    await mustFind(assets.find(db, member.orgId, id), 'asset')
    const upload = await uploads.findByAsset(db, id)
    if (upload?.state !== 'open') throw conflict(`The upload is ${upload?.state ?? 'over'}.`)
    const { key } = await dashboardCaller(db, member.orgId, [])
    const grant = createUploadGrant(upload.id, key.id, { origins: [host], expires_in: tokenSeconds })
    const { upload_token: token = '' } = issueUploadToken(grant, services(signingSecret))
    const session = {
      kind: 'video',
      id: upload.id,
      token,
      api: getPublicBase(host),
      to: pathOf(id),
      resume: pathOf(id),
    } as const
    return { view: { title: 'Resume upload', main: sessionPart(session) } }
  },
})

export const show = action({
  path: '/videos/{asset_id}/visibility',
  summary: 'Change the visibility of a video',
  permission: 'areas:write',
  params,
  fields: z.object({ visibility: assets.Visibility }),
  back: ({ asset_id }) => pathOf(asset_id),
  async perform({ ask, given, params: { asset_id: assetId } }) {
    await ask(setVisibility, { params: { assetId }, body: given }, z.unknown())
    return { to: pathOf(assetId), told: `Visibility changed to ${given.visibility}.` }
  },
})

export const caption = action({
  path: '/videos/{asset_id}/captions',
  summary: 'Transcribe a video',
  permission: 'areas:write',
  params,
  fields: z.object({ language: z.string() }),
  back: ({ asset_id }) => pathOf(asset_id),
  async perform({ ask, given, params: { asset_id: assetId } }) {
    await ask(create, { params: { assetId }, body: given }, z.unknown())
    return { to: pathOf(assetId), told: 'Transcription started.' }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/videos/{asset_id}/remove',
  summary: 'Delete a video',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params: { asset_id: id }, fault }) {
    const title = titleOf(await mustFind(assets.find(db, member.orgId, id), 'asset'))
    const main = html`${parentLink(title, pathOf(id))}<h1>Delete ${title}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>Viewers lose access to the video at their next request, and its files are deleted soon after. You cannot undo this.</p>
<p class="actions"><button class="grave">Delete video</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: `Delete ${title}`, main }
  },
  async submit({ ask, params: { asset_id: assetId } }) {
    await ask(remove, { params: { assetId } }, z.unknown())
    return { to: section.path, told: 'Video deleted.' }
  },
})
