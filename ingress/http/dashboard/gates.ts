import type { Permission } from '#tasks/account/rules/roles.ts'
import type { Route } from '../route.ts'

const permissions = new WeakMap<Route, Permission | null>()

/** Records the permission of a dashboard page, or null if every member can view it. */
export function recordPage(route: Route, permission: Permission | undefined): Route {
  permissions.set(route, permission ?? null)
  return route
}

/** Returns the permission of a dashboard page. Undefined for routes that are not pages. */
export const getPagePermission = (route: Route): Permission | null | undefined => permissions.get(route)
