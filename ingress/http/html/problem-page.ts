import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import { docsHref } from '../hosts.ts'
import type { Frame } from './frame.ts'
import { html } from './html.ts'
import { bareDocument, sendPage } from './layout.ts'

/** Response of a route that sends a page. */
export const htmlReply = { status: 200, raw: 'text/html; charset=utf-8' } as const

/** Errors of every page and form of the console and the dashboard. */
export const pageProblems = [
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
] as const

const titles: Record<number, string> = {
  400: 'Invalid request',
  403: 'Access denied',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Request too large',
  415: 'Invalid form data',
  429: 'Too many attempts',
  503: 'Database unavailable',
}

export const problemPage = (frame: Frame) => (ctx: Context, problem: Problem) => render(frame, ctx, problem)

function sentenceOf(ctx: Context, { status, message }: Problem): string {
  if (status === 503) return 'Millrace continues its running work. This page needs the database.'
  return status === 404 && !ctx.state.operation ? 'This page does not exist.' : message
}

function render(frame: Frame, ctx: Context, problem: Problem): void {
  const isUnknown = problem.status === 404 && !ctx.state.operation
  const title = isUnknown ? 'Page not found' : (titles[problem.status] ?? 'Something went wrong')
  const away = problem.status === 503
  const again = away && ctx.method === 'GET'
  const main = html`<h1>${title}</h1>
<p role="alert">${sentenceOf(ctx, problem)}</p>
${again && html`<p>This page reloads every five seconds.</p>`}
${problem.retryAfter !== undefined && !again && html`<p>Try again in ${problem.retryAfter} s.</p>`}
<p class="actions">${
    problem.status === 404
      ? html`<a class="button primary" href="${frame.base}">${frame.home}</a>${frame.search && html` <a href="${frame.search}">Search</a>`}`
      : html`<a class="button" href="${ctx.method === 'GET' ? ctx.url : frame.base}">Try again</a> <a href="${frame.base}">${frame.home}</a>`
  } <a href="${docsHref}">Documentation</a></p>
<p class="quiet">Request ${ctx.state.requestId}</p>`
  sendPage(ctx, bareDocument(frame, { title, main }, again ? html`<meta http-equiv="refresh" content="5">` : undefined))
}
