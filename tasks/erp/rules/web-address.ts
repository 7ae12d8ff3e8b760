/** The web address (http or https, without credentials) that a text of somebody's file is; null for all else, as pages link to it. */
export function webAddress(text: string): string | null {
  const trimmed = text.trim()
  // Files of registers name hosts alone, too.
  const whole = /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(\/|$)/u.test(trimmed) ? `http://${trimmed}` : trimmed
  const url = URL.parse(whole)
  return url && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? whole : null
}
