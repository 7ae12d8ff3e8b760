const api = new URL('../../portal', import.meta.url).href

/** An error that the API returned. `faults` has the errors of fields by name. */
export class ApiError extends Error {
  constructor(status, { message = '', details = [] } = {}) {
    super(message)
    this.status = status
    const named = Array.isArray(details) ? details : []
    this.faults = new Map(named.map(({ field, issue }) => [String(field).replace(/^(body|query|path)\./, ''), issue]))
  }
}

/**
 * Creates the function that calls the portal’s API. If the token is missing or has expired, `renew` is called once. It
 * returns a new token, or an empty string.
 */
export function createClient({ first, renew }) {
  let token = ''
  async function send(method, path, body) {
    const answer = await fetch(path ? `${api}/${path}` : api, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      referrerPolicy: 'no-referrer',
    })
    const text = await answer.text()
    if (answer.ok) return text === '' ? undefined : JSON.parse(text)
    throw new ApiError(answer.status, readProblem(text))
  }
  return async function ask(method, path, body) {
    token ||= first()
    try {
      if (token) return await send(method, path, body)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
    }
    token = await renew()
    if (!token) throw new ApiError(401)
    return await send(method, path, body)
  }
}

function readProblem(text) {
  try {
    return JSON.parse(text).error
  } catch {
    return {}
  }
}
