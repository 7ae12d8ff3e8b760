const longestWaitMs = 15_000

/** @returns {Promise<void>} */
const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      signal.removeEventListener('abort', stop)
      resolve()
    }
    const stop = () => {
      done()
      reject(signal.reason)
    }
    const timer = setTimeout(done, ms)
    addEventListener('online', done)
    signal.addEventListener('abort', stop)
  })

export class Refused extends Error {}

/** Repeats an attempt until it succeeds. Throws `Refused` errors and retries after all other errors. */
export async function lasting(attempt, { signal, waiting }) {
  for (let tries = 0; ; tries++) {
    try {
      const result = await attempt()
      waiting(false)
      return result
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Refused) throw error
      waiting(true)
      await pause(Math.min(longestWaitMs, 500 * 2 ** tries), signal)
    }
  }
}

/**
 * Sends bytes to a signed URL with PUT. `progress` receives the number of bytes sent. If the URL is not `renewed`, a
 * rejected request is not retried.
 */
export const put = ({ url, headers = {}, body, signal, progress, renewed = false }) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    signal.addEventListener('abort', stop)
    const end = (settle, value) => {
      signal.removeEventListener('abort', stop)
      settle(value)
    }
    request.upload.addEventListener('progress', ({ loaded }) => progress(Math.min(loaded, body.size)))
    request.addEventListener('load', () => {
      const { status } = request
      if (status >= 200 && status < 300) return end(resolve)
      const passes = (renewed && status === 403) || status === 429 || status >= 500
      end(reject, new (passes ? Error : Refused)(`Object storage returned ${status}.`))
    })
    for (const event of ['error', 'abort', 'timeout'])
      request.addEventListener(event, () => end(reject, new Error('Object storage could not be reached.')))
    request.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.send(body)
  })

export async function call({ api, token, signal }, method, path, body) {
  const answer = await fetch(api + path, {
    method,
    signal,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const passes = answer.status === 429 || answer.status >= 500
  if (passes) throw new Error(`The API returned ${answer.status}.`)
  const said = await answer.json().catch(() => undefined)
  if (!answer.ok) throw new Refused(said?.error?.message ?? said?.detail ?? `The API returned ${answer.status}.`)
  return said
}
