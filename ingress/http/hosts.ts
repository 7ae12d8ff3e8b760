import { appUrl, publicUrl } from '#lib/config.ts'
import type { Operation } from './area.ts'
import { dashboardFrame } from './dashboard/contents.ts'

export const ownHost = new URL(publicUrl()).hostname
export const dashboardUrl = new URL(appUrl())

/** True if the dashboard has a separate host. */
export const hasDashboardHost = dashboardUrl.hostname !== ownHost

/** URL of the dashboard for links on other pages. Absolute if the dashboard has a separate host. */
export const dashboardHref = hasDashboardHost ? new URL(dashboardFrame.base, dashboardUrl).href : dashboardFrame.base

/** URL of the documentation for links on other pages. Absolute if the dashboard has a separate host. */
export const docsHref = hasDashboardHost ? new URL('/docs', publicUrl()).href : '/docs'

export const isDashboard = ({ path }: Operation): boolean =>
  path === dashboardFrame.base || path.startsWith(`${dashboardFrame.base}/`)

/**
 * True if the dashboard has a separate host and the route is not available on this host. All routes are available on
 * `localhost`.
 */
export function isOnOtherHost(operation: Operation, host: string): boolean {
  if (!hasDashboardHost) return false
  if (isDashboard(operation)) return host !== dashboardUrl.hostname
  return host === dashboardUrl.hostname && dashboardUrl.hostname !== 'localhost' && operation.area.name !== 'service'
}
