import { areas } from '../../../../ingress/areas.ts'

/** Sign-in, assets, and addresses that lead elsewhere. */
const other =
  /^\/app\/(sign-|join|assets|scripts|regions|prolong|find\.json|leaving)|\/(download|join|play|shown)$|\.csv$/

const patterns = areas
  .flatMap(({ operations }) => operations)
  .filter(({ path, route }) => route.method === 'GET' && /^\/app($|\/)/.test(path) && !other.test(path))
  .map(({ path }) => [path, new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)] as const)

const templateOf = (address: string) => patterns.find(([, pattern]) => pattern.test(address.split('?')[0] ?? ''))?.[0]

/** Follows the links of the dashboard and requests one URL of each page. Returns the URLs. */
export async function visitPages(get: (path: string) => Promise<string>): Promise<string[]> {
  const found = new Map<string, string>()
  const waiting = ['/app', ...patterns.map(([path]) => path).filter((path) => !path.includes('{'))]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const template = templateOf(path)
    if (template === undefined || found.has(template)) continue
    found.set(template, path)
    const links = (await get(path)).matchAll(/href="(\/app[^"#]*)/g)
    for (const [, href = ''] of links) waiting.push(href.replaceAll('&amp;', '&'))
  }
  return [...found.values()]
}
