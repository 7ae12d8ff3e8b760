import type { DatabasePool } from '#sql/db.ts'
import { type ConsoleContribution, consoleBase } from './console/contents.ts'
import type { Service } from './container.ts'
import { type DashboardContribution, dashboardFrame } from './dashboard/contents.ts'
import { isRoute, type Route } from './route.ts'
import type { Listener } from './server.ts'

/** A route with its area, id and path. */
export interface Operation {
  /** `<area>.<resource>.<export>`, which is also the location of its code. */
  id: string
  area: Area
  /** The complete path, with `{names}` in braces. */
  path: string
  route: Route
}

/** Customers’ host names for their viewers. Other parts of the platform are not available on them. */
export interface CustomHosts {
  /** Returns the organisation of a host name, or undefined. */
  ownerOf(hostname: string): Promise<string | undefined>
  /** True if an organisation uses this host name, according to the data in this process. */
  isOwned(hostname: string): boolean
}

/** Parts of an area in addition to its routes. */
export interface Contributions {
  /** Services for its routes, which they get with `services(…)`. */
  services?: readonly Service<unknown>[]
  /** Further ports, in addition to plain HTTP. */
  listeners?: readonly Listener[]
  /** The service that knows customers’ host names. */
  customHosts?: Service<CustomHosts>
  /** Pages for people outside the area’s base path. Their paths are complete. */
  pages?: Resources
  console?: ConsoleContribution
  dashboard?: DashboardContribution
  /** Starts the gauges that query the database. Called only in processes with metrics. */
  observe?: (db: DatabasePool) => unknown
}

export interface Area extends Contributions {
  name: string
  title: string
  description: string
  base: string
  /** True if keys are also accepted in the `x-api-key` header. */
  platform: boolean
  operations: readonly Operation[]
}

/** Modules by file name in camel case. Each exported route is an operation. */
export type Resources = Readonly<Record<string, object>>

/** Declares an area. `routes` are its resources, each a module (`import * as`). */
export function area(
  declaration: Contributions & {
    name: string
    title: string
    description: string
    base: string
    platform?: boolean
    routes: Resources
  },
): Area {
  const { routes, platform = false, ...facts } = declaration
  const operations: Operation[] = []
  const made: Area = { ...facts, platform, operations }
  const add = (base: string, resources: Resources = {}) => {
    for (const [name, resource] of Object.entries(resources)) {
      for (const [exported, route] of routesOf(resource)) {
        operations.push({ id: `${facts.name}.${kebab(name)}.${exported}`, area: made, path: base + route.path, route })
      }
    }
  }
  add(facts.base, routes)
  add('', facts.pages)
  add(consoleBase, facts.console?.pages)
  add(dashboardFrame.base, facts.dashboard?.pages)
  return made
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const routesOf = (resource: object): [string, Route][] => Object.entries(resource).filter(([, value]) => isRoute(value))
