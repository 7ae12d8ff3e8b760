import type * as assets from '#sql/video/assets.ts'
import type * as captionRows from '#sql/video/captions.ts'
import { detectLanguage, languageName } from '#tasks/video/rules/captions/languages.ts'
import { acceptedLanguages, isForSearchOnly, type SpeechEngine } from '#tasks/video/rules/captions/speech-engine.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, selectField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, tokenField } from '../../http/html/parts.ts'

interface CaptionsView {
  /** Path of the video’s page. */
  path: string
  member: Member
  asset: assets.Asset
  tracks: readonly captionRows.Captions[]
  engine: SpeechEngine
  writes: boolean
  reads: boolean
}

/** Renders the captions of a video, and the form that transcribes it. */
export function captionsPart(view: CaptionsView): Html {
  const { path, asset, tracks, writes } = view
  const list = html`<ul class="groups">${tracks.map((track) => trackItem(view, track))}</ul>`
  return html`<section><h2>Captions</h2>${tracks.length === 0 ? emptyState('No captions yet.', 'Add your own captions, or transcribe the video.') : list}
${writes && html`<p class="actions spaced"><a class="button" href="${path}/tracks">Add captions</a></p>`}
${writes && asset.status === 'ready' && transcribeForm(view)}</section>`
}

function trackItem({ path, member, writes, reads }: CaptionsView, track: captionRows.Captions): Html {
  const { language, state, failure_summary, source, is_default, engine } = track
  const isReady = state === 'ready'
  const searchOnly = source === 'automatic' && engine !== null && isForSearchOnly(engine)
  return html`<li>${isReady && writes ? html`<a href="${path}/tracks?language=${language}">${language}</a>` : language} <span class="quiet">${source}${searchOnly && ', for search only'}${is_default && ', default'}</span> ${statusBadge(state)}${failure_summary && html` <span class="quiet">${failure_summary}</span>`}${isReady && reads && html` <a href="${path}/transcript?language=${language}">Transcript<span class="unseen"> in ${languageName(language)}</span></a>`}${writes && html` ${actionButton(member, `${path}/tracks/remove`, 'Delete', { of: language, fields: { language } })}`}</li>`
}

const nothing: FormState = { given: {}, faults: {} }

function transcribeForm({ path, member, tracks, engine }: CaptionsView): Html | false {
  const done = new Set(tracks.flatMap(({ language, state }) => (state === 'failed' ? [] : [language])))
  const isDetected = tracks.some(({ detects, state }) => detects && state !== 'failed')
  const open = acceptedLanguages(engine).filter((one) => (one === detectLanguage ? !isDetected : !done.has(one)))
  if (open.length === 0) return false
  const options = open.map((one) => [one, one === detectLanguage ? 'Detect the language' : languageName(one)] as const)
  const hint = engine.forSearchOnly
    ? `${engine.engine} finds words for a search. Correct the captions before you publish them.`
    : `Transcribed by ${engine.engine}.`
  return html`<form class="form spaced" method="post" action="${path}/captions">${tokenField(member)}
${selectField(nothing, { name: 'language', label: 'Spoken language', options, hint })}
<button>Transcribe</button></form>`
}
