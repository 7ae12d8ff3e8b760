import type { DatabasePool } from '#sql/db.ts'
import { type ConsoleContribution, consoleBase } from './console/contents.ts'
import type { Service } from './container.ts'
import { type DashboardContribution, dashboardFrame } from './dashboard/contents.ts'
import { isRoute, type Route } from './route.ts'
import type { Listener } from './server.ts'

/** A route in its place. */
export interface Operation {
  /** `<area>.<resource>.<export>`: also where its code is. */
  id: string
  area: Area
  /** The whole path, with `{names}` in braces. */
  path: string
  route: Route
}

/** Host names that customers serve their viewers under: nothing else of the platform answers there. */
export interface CustomHosts {
  /** The organisation that has a host name; undefined for one that nobody has. */
  ownerOf(hostname: string): Promise<string | undefined>
  /** Whether an organisation has a host name, as far as this process has read. */
  isOwned(hostname: string): boolean
}

/** What an area has besides its routes. */
export interface Contributions {
  /** What its routes ask for with `services(…)`. */
  services?: readonly Service<unknown>[]
  /** Ports beside the one of plain HTTP. */
  listeners?: readonly Listener[]
  /** The one of its services that knows host names of customers. */
  customHosts?: Service<CustomHosts>
  /** Pages for people that lie beside the area's base: their paths are whole. */
  pages?: Resources
  /** Pages for operators. */
  console?: ConsoleContribution
  /** Pages for members of an organisation. */
  dashboard?: DashboardContribution
  /** Starts the gauges that ask the database, in a process that offers metrics. */
  observe?: (db: DatabasePool) => unknown
}

/** An area's table of contents. */
export interface Area extends Contributions {
  name: string
  title: string
  description: string
  base: string
  /** Keys may also come in the `x-api-key` header. */
  platform: boolean
  operations: readonly Operation[]
}

/** Modules by the name of their file in camel case; each route that one exports is an operation. */
export type Resources = Readonly<Record<string, object>>

/** Declares an area: `routes` are its resources, each a module (`import * as`). */
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
