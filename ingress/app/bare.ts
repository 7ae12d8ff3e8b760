import type { Context } from 'koa'
import { dashboardFrame } from '../http/dashboard/contents.ts'
import type { Html } from '../http/html/html.ts'
import { bareDocument, sendPage, type View } from '../http/html/layout.ts'

export const sendBare = (ctx: Context, view: View, more?: Html): void => {
  if (view.status !== undefined) ctx.status = view.status
  sendPage(ctx, bareDocument(dashboardFrame, view, more))
}

/** Returns the path if it is a page of the dashboard, so that users are never redirected to another site. */
export const safeReturnPath = (to: string | undefined): string =>
  to && /^\/app(\/[^\\]*|\?[^\\]*)?$/.test(to) && !to.startsWith('/app/sign-in') ? to : '/app'
