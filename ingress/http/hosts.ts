import { appUrl, publicUrl } from '#lib/config.ts'
import type { Operation } from './area.ts'
import { dashboardFrame } from './dashboard/contents.ts'

/** The name of the platform's own host. */
export const ownHost = new URL(publicUrl()).hostname
/** Where the dashboard is. */
export const app = new URL(appUrl())

/** Whether an operation is a page of the dashboard. */
export const isDashboard = ({ path }: Operation): boolean =>
  path === dashboardFrame.base || path.startsWith(`${dashboardFrame.base}/`)

/** Whether a route is not to be found at a host, the dashboard having one of its own. `localhost` is everybody's on its machine. */
export function isElsewhere(operation: Operation, host: string): boolean {
  if (app.hostname === ownHost) return false
  if (isDashboard(operation)) return host !== app.hostname
  return host === app.hostname && app.hostname !== 'localhost' && operation.area.name !== 'service'
}
