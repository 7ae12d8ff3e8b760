/**
 * Returns an http or https URL without credentials from an untrusted file. `null` for other text, because web pages
 * link to the URL.
 */
export function readWebUrl(text: string): string | null {
  const trimmed = text.trim()
  // Register files also contain host names without a scheme.
  const whole = /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(\/|$)/u.test(trimmed) ? `http://${trimmed}` : trimmed
  const url = URL.parse(whole)
  return url && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? whole : null
}
