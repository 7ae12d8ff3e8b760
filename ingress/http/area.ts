import type { Route } from './route.ts'

/** A route in its place. */
export interface Operation {
  /** `<area>.<resource>.<export>`: also where its code is. */
  id: string
  area: Area
  /** The whole path, with `{names}` in braces. */
  path: string
  route: Route
}

/** An area's table of contents. */
export interface Area {
  name: string
  title: string
  description: string
  base: string
  /** Keys may also come in the `x-api-key` header. */
  platform: boolean
  operations: readonly Operation[]
}

/** Declares an area: each key of `routes` is a resource (a file), each key in it an export of that file. */
export function area(declaration: {
  name: string
  title: string
  description: string
  base: string
  platform?: boolean
  routes: Record<string, Record<string, Route>>
}): Area {
  const { routes, platform = false, ...facts } = declaration
  const operations: Operation[] = []
  const made: Area = { ...facts, platform, operations }
  for (const [resource, exported] of Object.entries(routes)) {
    for (const [name, route] of Object.entries(exported)) {
      operations.push({ id: `${facts.name}.${resource}.${name}`, area: made, path: facts.base + route.path, route })
    }
  }
  return made
}
