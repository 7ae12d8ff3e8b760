/** No provider is waited for longer than that, whatever it asks. */
const mostSeconds = 86_400

/** Seconds to wait of a `Retry-After` header: a number of them or a date (RFC 9110 §10.2.3); undefined for anything else. */
export function secondsOf(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header[0] : header
  if (text === undefined) return
  const seconds = /^\s*\d+\s*$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  if (Number.isNaN(seconds)) return
  return Math.min(Math.max(Math.ceil(seconds), 0), mostSeconds)
}
