import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import { toOriginHeader } from '#lib/network/origin.ts'
import { type Content, html } from '../http/html/html.ts'
import { sendPublicPage } from '../http/html/public-page.ts'
import { styleUrl } from './widget.ts'

export interface Page {
  title: string
  main: Content
  head?: Content
  framedBy?: readonly string[]
}

/** Sends a web page with a strict policy. Only our own JavaScript runs, and WebAssembly only in workers. */
export function sendPage(ctx: Context, { title, main, head, framedBy = [] }: Page): void {
  sendPublicPage(ctx, {
    title,
    head: html`<link rel="stylesheet" href="${styleUrl}">
${head}`,
    main: html`<h1>${title}</h1>
${main}`,
    policy: {
      'script-src': "'self'",
      'worker-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      'form-action': "'self'",
      'frame-ancestors': framedBy.length > 0 ? toOriginHeader(framedBy) : "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'mill-guard',
    },
    referrer: 'same-origin',
  })
}

export function renderProblem(ctx: Context, { message }: Problem): void {
  sendPage(ctx, { title: 'Security check failed', main: html`<p role="alert">${message}</p>` })
}

export const publicPageSettings = {
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: { perMinute: 60, by: 'ip' },
  status: 200,
  raw: 'text/html; charset=utf-8',
  renderProblem,
} as const
