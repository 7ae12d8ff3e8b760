import { UsageError } from '../usage-error.ts'

/** Returns the URL of a local server: `3000`, `localhost:3000/hooks` or a URL. */
export function targetUrl(text: string): string {
  const complete = /^\d+(\/|$)/.test(text)
    ? `http://localhost:${text}`
    : /^[a-z][a-z\d+.-]*:\/\//i.test(text)
      ? text
      : `http://${text}`
  // `http:///hooks` would be the host `hooks`.
  const url = !text.startsWith('/') && URL.canParse(complete) ? new URL(complete) : undefined
  if (!url || url.hash || url.username || url.password || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      '--forward-to must be an http or https URL without credentials, such as localhost:3000/hooks.',
      'listen',
    )
  }
  return url.href
}
