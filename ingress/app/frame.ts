import type { Context } from 'koa'
import type { Frame } from '../http/console/frame.ts'
import type { Html } from '../http/console/html.ts'
import { bareDocument, sendPage, type View } from '../http/console/layout.ts'
import { problemPage } from '../http/console/problem-page.ts'

/** The pages of members. */
export const appFrame: Frame = { base: '/app', name: 'Dashboard', home: 'To the start', script: 'app.js' }

/** What all routes of the dashboard have in common. */
export const shared = {
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: false,
  status: 200,
  raw: 'text/html; charset=utf-8',
  renderProblem: problemPage(appFrame),
  problems: ['unauthorized', 'forbidden', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type'],
} as const

/** Answers with a page of its own. */
export const sendBare = (ctx: Context, view: View, more?: Html): void => {
  if (view.status !== undefined) ctx.status = view.status
  sendPage(ctx, bareDocument(view, more, appFrame))
}

/** Answers a form with the page that comes after it. */
export function go(ctx: Context, to: string): void {
  ctx.redirect(to)
  ctx.status = 303
  ctx.set('cache-control', 'no-store')
}

/** Only pages of the dashboard are gone back to. */
export const pageOf = (to: string | undefined): string =>
  to && /^\/app(\/[^\\]*|\?[^\\]*)?$/.test(to) && !to.startsWith('/app/sign-in') ? to : '/app'
