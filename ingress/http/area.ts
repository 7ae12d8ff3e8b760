import type { DatabasePool } from '#sql/db.ts'
import { type ConsoleContribution, consoleBase } from './console/contents.ts'
import type { Service } from './container.ts'
import { type DashboardContribution, dashboardFrame } from './dashboard/contents.ts'
import { isRoute, type Route } from './route.ts'
import type { Listener } from './server.ts'

export interface Operation {
  id: string
  area: Area
  path: string
  route: Route
}

/** Host names that customers use for their viewers. Other parts of the platform are not available on these hosts. */
export interface CustomHosts {
  ownerOf(hostname: string): Promise<string | undefined>
  isOwned(hostname: string): boolean
}

export interface Contributions {
  services?: readonly Service<unknown>[]
  listeners?: readonly Listener[]
  customHosts?: Service<CustomHosts>
  /** Web pages outside the area’s base path. Their paths are complete. */
  pages?: Resources
  console?: ConsoleContribution
  dashboard?: DashboardContribution
  observe?: (db: DatabasePool) => unknown
}

export interface Area extends Contributions {
  name: string
  title: string
  description: string
  base: string
  platform: boolean
  operations: readonly Operation[]
}

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
