// What the viewer is told when it does not go on, and what the beacon calls it.
import { isBroadcast } from './options.js'
import { sentences } from './sentences.js'

/** The place in `root` where the viewer is told of trouble. */
export function troubleIn(root) {
  const [player, trouble, again] = ['player', 'trouble', 'again'].map((id) => root.getElementById(id))
  return {
    /** Tells the viewer; with `retry`, offers to try again. */
    tell(sentence, retry) {
      player.classList.add('troubled')
      trouble.textContent = sentence
      trouble.hidden = false
      again.hidden = !retry
      again.onclick = retry ?? null
    },
    /** Takes it back. */
    untell() {
      player.classList.remove('troubled')
      trouble.hidden = true
      again.hidden = true
    },
  }
}

const byStatus = { 403: 'forbidden', 404: 'not_found', 429: 'rate_limited' }
const byProblem = { token_expired: 'expired', token_revoked: 'revoked', country_not_allowed: 'country' }

/** The beacon's code for an error of the library; undefined for what is a wait and no error. */
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

// Until a broadcast begins, and while its publisher is away.
const away = ['channel_not_live', 'part_not_there']
const late = [409, 502, 503]

/** Why it ended: asks the origin when it, or nobody, has refused. `final` when there is no use in trying again. */
export async function whyRefused(source, error) {
  const known = codeOf(error)
  if (error.type === 'mediaError') return { beacon: known ?? 'decode', sentence: sentences.media, final: true }
  // What is waited for in vain has taken long enough.
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
