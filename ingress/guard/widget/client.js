import { solve } from './solve.js'

/** `code` is an error code of the API, `denied`, or `network` if there was no response. */
export class GuardError extends Error {
  constructor(code, message, retryAfter) {
    super(message)
    this.name = 'GuardError'
    this.code = code
    /** Time in seconds after which the client can retry, if the API returned it. */
    this.retryAfter = retryAfter
  }
}

export const home = new URL(import.meta.url).origin

const begun = performance.now()
let interactions = 0
for (const type of ['pointerdown', 'keydown', 'touchstart', 'wheel']) {
  globalThis.addEventListener?.(type, () => interactions++, { passive: true, capture: true })
}

/** Returns signals of the web page. They are not a fingerprint and identify no one. */
const signals = () => ({
  webdriver: navigator.webdriver === true,
  languages: navigator.languages?.length ?? 0,
  interactions: Math.min(interactions, 1000),
  ms_on_page: Math.min(Math.round(performance.now() - begun), 86_400_000),
  touch: navigator.maxTouchPoints > 0,
})

async function post({ api, sitekey, signal }, path, body) {
  const headers = { authorization: `Bearer ${sitekey}`, 'content-type': 'application/json' }
  /** @type {RequestInit} */
  const given = { method: 'POST', headers, body: JSON.stringify(body), credentials: 'omit', signal }
  const reply = await fetch(`${api}/v1/guard${path}`, given).catch((error) => {
    signal?.throwIfAborted()
    throw new GuardError('network', String(error))
  })
  const text = await reply.text()
  let answer = {}
  try {
    answer = JSON.parse(text)
  } catch {
    // A response that is not JSON comes from a proxy, so only its status is used.
  }
  if (reply.ok) return answer
  const { code = 'server_error', message = `The server returned ${reply.status}.` } = answer.error ?? {}
  throw new GuardError(code, message, Number(reply.headers.get('retry-after')) || undefined)
}

/** Returns the assessment of an attempt, or undefined if it fails. A challenge also works without an assessment. */
async function assess(options) {
  if (options.assess === false) return undefined
  const judged = await post(options, '/assess', { action: options.action, signals: signals() }).catch((error) => {
    if (error.code === 'rate_limited' || !(error instanceof GuardError)) throw error
  })
  if (judged?.decision === 'deny') throw new GuardError('denied', judged.reasons?.map(({ detail }) => detail).join(' '))
  return judged
}

/** Returns a challenge. While the stock is empty, it retries up to three times after the delay from the API. */
async function issued(options, asked) {
  for (let left = 3; ; left--) {
    try {
      return await post(options, '/challenges', asked)
    } catch (error) {
      if (error.code !== 'server_error' || !(error.retryAfter <= 10) || left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, error.retryAfter * 1000))
      options.signal?.throwIfAborted()
    }
  }
}

/**
 * Gets a token for an action: assesses the visitor, requests a challenge, solves it and submits the answer. You can
 * call it without the widget. Options: `sitekey`, `action`; `api` (origin), `workers`, `worker` (URL), `assess: false`,
 * `onprogress`, `signal`. Returns `{ token, action, tier, expiresAt, solveMs }`. `expiresAt` uses the browser's clock.
 */
export async function getToken(given) {
  const options = { api: home, ...given }
  const judged = await assess(options)
  const asked = { action: options.action, ...(judged?.assessment_id && { assessment_id: judged.assessment_id }) }
  const challenge = await issued(options, asked)
  // The client’s clock may be wrong, so server times are corrected by the difference.
  const skew = Date.parse(challenge.issued_at) - Date.now()
  const started = performance.now()
  options.onprogress?.(0, challenge.tier)
  const tell = (share) => options.onprogress?.(share, challenge.tier)
  const answer = await solve(challenge, { ...options, onprogress: tell })
  const solveMs = Math.round(performance.now() - started)
  const { token, action, tier, expires_at } = await post(options, `/challenges/${challenge.id}/complete`, { answer })
  return { token, action, tier, expiresAt: Date.parse(expires_at) - skew, solveMs }
}
