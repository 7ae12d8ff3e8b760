import { appUrl, config, publicUrl } from '#lib/config.ts'
import type { Operation } from './area.ts'
import { dashboardFrame } from './dashboard/contents.ts'

export const ownHost = new URL(publicUrl()).hostname
export const dashboardUrl = new URL(appUrl())

/** True if the dashboard has a separate host. */
export const hasDashboardHost = dashboardUrl.hostname !== ownHost

/** URL of the host of files. `undefined` if files have no host of their own. */
export const filesUrl = readFilesUrl()

function readFilesUrl(): URL | undefined {
  if (config.FILES_URL === undefined) return undefined
  const url = new URL(config.FILES_URL)
  return [ownHost, dashboardUrl.hostname].includes(url.hostname) ? undefined : url
}

/** URL of the dashboard for links on other pages. Absolute if the dashboard has a separate host. */
export const dashboardHref = hasDashboardHost ? new URL(dashboardFrame.base, dashboardUrl).href : dashboardFrame.base

/** URL of the documentation for links on other pages. Absolute if the dashboard has a separate host. */
export const docsHref = hasDashboardHost ? new URL('/docs', publicUrl()).href : '/docs'

export const isDashboard = ({ path }: Operation): boolean =>
  path === dashboardFrame.base || path.startsWith(`${dashboardFrame.base}/`)

/**
 * True if the route is not available on this host: on the host of files, only files are available. If the dashboard has
 * a separate host, each has its own routes. All routes are available on `localhost`.
 */
export function isOnOtherHost(operation: Operation, host: string): boolean {
  if (host === filesUrl?.hostname) return !operation.route.delivers
  if (!hasDashboardHost) return false
  if (isDashboard(operation)) return host !== dashboardUrl.hostname
  return host === dashboardUrl.hostname && dashboardUrl.hostname !== 'localhost' && operation.area.name !== 'service'
}
