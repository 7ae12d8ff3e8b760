import { isBroadcast } from './options.js'
import { sentences } from './sentences.js'

export function troubleIn(root) {
  const [player, trouble, again] = ['player', 'trouble', 'again'].map((id) => root.getElementById(id))
  return {
    /** Displays a message. With `retry`, also displays a button to try again. */
    tell(sentence, retry) {
      player.classList.add('troubled')
      trouble.textContent = sentence
      trouble.hidden = false
      again.hidden = !retry
      again.onclick = retry ?? null
    },
    untell() {
      player.classList.remove('troubled')
      trouble.hidden = true
      again.hidden = true
    },
  }
}

const byStatus = { 403: 'forbidden', 404: 'not_found', 429: 'rate_limited' }
const byProblem = { token_expired: 'expired', token_revoked: 'revoked', country_not_allowed: 'country' }

/**
 * Returns the beacon code of a library error, or `undefined` if the library is only waiting.
 *
 * @param {{ type?: string, details?: string, response?: { code?: number } }} error
 */
export function codeOf({ type, details = '', response }) {
  const status = response?.code ?? 0
  if (/^buffer(Stalled|Nudge|SeekOver|Full)/.test(details)) return
  if (/codec/i.test(details)) return 'unsupported'
  if (type === 'mediaError') return 'decode'
  if (type !== 'networkError') return 'other'
  if (/TimeOut$/.test(details)) return 'timeout'
  if (status >= 500) return 'server'
  if (status in byStatus) return byStatus[status]
  if (/Parsing/.test(details)) return /^manifest|^level/.test(details) ? 'manifest' : 'segment'
  return 'network'
}

const away = ['channel_not_live', 'part_not_there']
const late = [409, 502, 503]

/**
 * Finds out why playback ended. Requests `source` again to distinguish a rejection by the origin from a failed
 * connection. `final` is true if a retry cannot succeed.
 */
export async function whyRefused(source, error) {
  const known = codeOf(error)
  if (error.type === 'mediaError') return { beacon: known ?? 'decode', sentence: sentences.media, final: true }
  if (isBroadcast(source) && late.includes(error.response?.code))
    return { beacon: 'server', sentence: sentences.channel_not_live, final: false, isAway: true }
  try {
    const answer = await fetch(source, { signal: AbortSignal.timeout(10_000) })
    if (answer.ok) return { beacon: known ?? 'other', sentence: sentences.other, final: false }
    const { code } = (await answer.json()).error
    const beacon = byProblem[code] ?? byStatus[answer.status] ?? 'server'
    const final = answer.status === 403 || answer.status === 404
    return { beacon, sentence: sentences[code] ?? sentences.other, final, isAway: away.includes(code) }
  } catch {
    return { beacon: 'network', sentence: sentences.network, final: false }
  }
}
