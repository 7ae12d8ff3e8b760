import type { Context } from 'koa'
import { html } from '../html/html.ts'

/** Ways to look at an email. `phone` differs from `desktop` only in the width of its frame. */
export const mailViews = ['desktop', 'phone', 'dark', 'text'] as const

export type MailView = (typeof mailViews)[number]

/** A customer wrote the HTML. It cannot run JavaScript, send forms or access our origin. */
const policyOf = (images: boolean): string =>
  `default-src 'none'; img-src ${images ? 'https: ' : ''}data:; style-src 'unsafe-inline'; sandbox allow-popups allow-popups-to-escape-sandbox; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`

/** Sends an email as the document of a sandboxed frame. Links open in a new tab. */
export function sendMailFrame(
  ctx: Context,
  mail: { html: string | null; text: string | null },
  view: MailView = 'desktop',
  { images = true }: { images?: boolean } = {},
): void {
  ctx.set('content-security-policy', policyOf(images))
  ctx.set('x-frame-options', 'SAMEORIGIN')
  ctx.set('referrer-policy', 'no-referrer')
  ctx.set('cache-control', 'no-store')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = view === 'text' || mail.html === null ? plainDocument(mail.text) : mailDocument(mail.html, view === 'dark')
}

const plainDocument = (text: string | null): string =>
  html`<!doctype html><meta charset="utf-8"><title>Text</title>
<style>:root{color-scheme:only light}pre{margin:16px;font:14px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}</style>
<pre>${text ?? 'Millrace creates the text from the HTML when the message is sent.'}</pre>`.text

/** Sets the colour scheme of the email, whatever the scheme of the device is. */
function mailDocument(mail: string, dark: boolean): string {
  const scheme = dark ? 'dark' : 'light'
  const body = mail.replaceAll(/prefers-color-scheme\s*:\s*(dark|light)/gi, (_, wanted: string) =>
    wanted.toLowerCase() === scheme ? 'min-width: 0' : 'max-width: 0',
  )
  const start = /<head(?=[\s>])[^<>]*>/i.exec(body)
  const at = start ? start.index + start[0].length : (/^\s*<!doctype[^>]*>/i.exec(body)?.[0].length ?? 0)
  const head = `<meta charset="utf-8"><base target="_blank"><style>:root{color-scheme:only ${scheme}}</style>`
  return `${at === 0 ? '<!doctype html>' : ''}${body.slice(0, at)}${head}${body.slice(at)}`
}
