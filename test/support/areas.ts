import type { Area } from '../../ingress/http/area.ts'
import type { ServerApp } from '../../ingress/http/server.ts'

/**
 * Loads the areas with these names separately. Loading all takes a second of processor time. Without names, loads all.
 */
export async function areasNamed(names?: readonly string[]): Promise<readonly Area[]> {
  if (!names) return (await import('../../ingress/areas.ts')).areas
  return await Promise.all(names.map(async (name) => (await import(`../../ingress/${name}/index.ts`))[name]))
}

/** Fails the test if a request uses an area that the app does not serve, because its 404 would prove nothing. */
export function failOfOthers(
  t: { fail(message: string): unknown },
  app: ServerApp,
  served: readonly Area[],
): ServerApp {
  const isServed = pathsOf(served)
  return {
    ...app,
    async callback(req, res) {
      const { pathname } = new URL(req.url ?? '/', 'http://localhost')
      if (!isServed(pathname)) {
        const others = (await areasNamed()).filter((area) => pathsOf([area])(pathname))
        for (const { name } of others) t.fail(`${pathname} is of area ${name}, which the test's ingress does not serve`)
      }
      await app.callback(req, res)
    },
  }
}

function pathsOf(areas: readonly Area[]): (path: string) => boolean {
  const paths = areas.flatMap(({ operations }) => operations).map(({ path }) => path.replace(/\{\w+\}/g, '[^/]+'))
  const pattern = new RegExp(`^(${paths.map((path) => path.replaceAll('.', '\\.')).join('|')})$`)
  return (path) => pattern.test(path)
}
