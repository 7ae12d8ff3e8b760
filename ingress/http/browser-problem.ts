import { isIP } from 'node:net'
import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import type { Operation } from './area.ts'
import { consoleFrame } from './console/contents.ts'
import { dashboardFrame } from './dashboard/contents.ts'
import { dashboardUrl, hasDashboardHost, isOnOtherHost, ownHost } from './hosts.ts'
import type { Frame } from './html/frame.ts'
import { problemPage } from './html/problem-page.ts'
import { renderDocsProblem } from './openapi/problem-page.ts'

/** On `localhost`, all pages are available. */
const isOnlyDashboard = ({ hostname }: Context): boolean =>
  hasDashboardHost && hostname === dashboardUrl.hostname && hostname !== 'localhost'

/** False for domains of customers, which have only their viewers’ pages. An IP address is never a customer’s domain. */
const isOwnHost = ({ hostname }: Context): boolean =>
  [ownHost, dashboardUrl.hostname, 'localhost'].includes(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0

/** Returns the frame of the pages around a path. Its style sheets must be available on the host of the request. */
function frameOf(ctx: Context): Frame | undefined {
  if (isOnlyDashboard(ctx)) return dashboardFrame
  const within = ({ base }: Frame) => ctx.path === base || ctx.path.startsWith(`${base}/`)
  const hasDashboard = !hasDashboardHost || ctx.hostname === dashboardUrl.hostname
  return [...(hasDashboard ? [dashboardFrame] : []), consoleFrame].find(within)
}

/** Sends a problem as its route does. Pages of the dashboard on another host have no style sheets there. */
function sendOwnProblem(ctx: Context, problem: Problem): boolean {
  const operation: Operation | undefined = ctx.state.operation
  if (!operation?.route.renderProblem || isOnOtherHost(operation, ctx.hostname)) return false
  operation.route.renderProblem(ctx, problem)
  return true
}

/**
 * Sends a problem as its route does, or as a web page to browsers. Returns false for API clients, which get JSON, and on
 * domains of customers.
 */
export function sendProblemPage(ctx: Context, problem: Problem): boolean {
  if (sendOwnProblem(ctx, problem)) return true
  const operation: Operation | undefined = ctx.state.operation
  if (operation?.route.viewers || operation?.route.problemBody || !isOwnHost(ctx)) return false
  const frame = frameOf(ctx)
  const isPage = frame && problem.status === 404 && !operation
  const isBrowser = isPage ? ctx.accepts('html') : ctx.accepts('json', 'html') === 'html'
  if (!isBrowser) return false
  if (frame && ctx.path === '/' && problem.status === 404) {
    ctx.redirect(frame.base)
    return true
  }
  if (frame) problemPage(frame)(ctx, problem)
  else renderDocsProblem(ctx, problem)
  return true
}
