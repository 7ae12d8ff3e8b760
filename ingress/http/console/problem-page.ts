import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import { consoleFrame, type Frame } from './frame.ts'
import { html } from './html.ts'
import { bareDocument, sendPage } from './layout.ts'

const titles: Record<number, string> = {
  400: 'This request has faults',
  403: 'Refused',
  404: 'Not here',
  409: 'Not possible now',
  413: 'Too large',
  415: 'Not a form',
  429: 'Too many tries',
  503: 'The database is away',
}

/** Makes the function that tells whoever looks at pages of a frame what went wrong, and what to do. */
export const problemPage =
  (frame: Frame) =>
  (ctx: Context, problem: Problem): void =>
    render(frame, ctx, problem)

/** Tells an operator. */
export const renderProblem = problemPage(consoleFrame)

function render(frame: Frame, ctx: Context, problem: Problem): void {
  const title = titles[problem.status] ?? 'Something went wrong'
  const away = problem.status === 503
  const again = away && ctx.method === 'GET'
  const main = html`<h1>${title}</h1>
<p role="alert">${away ? 'What is accepted goes on where it can; this page needs the database to show it.' : problem.message}</p>
${again && html`<p>It is asked for again every five seconds.</p>`}
${problem.retryAfter !== undefined && !again && html`<p>Try again in ${problem.retryAfter} s.</p>`}
<p><a class="button" href="${ctx.method === 'GET' ? ctx.url : frame.base}">Try again</a> <a href="${frame.base}">${frame.home}</a></p>
<p class="quiet">Request ${ctx.state.requestId}</p>`
  sendPage(ctx, bareDocument({ title, main }, again ? html`<meta http-equiv="refresh" content="5">` : undefined, frame))
}
