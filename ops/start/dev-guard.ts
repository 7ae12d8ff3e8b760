import { type Api, askAgain } from '../video-client.ts'

interface Site {
  name: string
  id: string
  site_key: string
  origins: string[]
}

const siteName = 'dev'

/**
 * Adds a site for pages of this server to the organisation `dev` through the API, unless the organisation has one.
 * Returns the public key of the site.
 */
export async function seedGuard(api: Api, baseUrl: string): Promise<string> {
  const origins = originsOf(baseUrl)
  const site =
    (await findSite(api)) ?? (await askAgain<Site>(api, 'POST', '/v1/guard/sites', { name: siteName, origins }))
  // The port can differ from that of the last start. Origins that a developer added are kept.
  const missing = origins.filter((origin) => !site.origins.includes(origin))
  if (missing.length > 0)
    await askAgain(api, 'PATCH', `/v1/guard/sites/${site.id}`, { origins: [...site.origins, ...missing] })
  return site.site_key
}

function originsOf(baseUrl: string): string[] {
  const { origin, hostname } = new URL(baseUrl)
  return hostname === '127.0.0.1' ? [origin, origin.replace(hostname, 'localhost')] : [origin]
}

/** Returns the oldest site with this name, because a developer can have added other sites. */
async function findSite(api: Api): Promise<Site | undefined> {
  let found: Site | undefined
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const page: { data: Site[]; next_cursor: string | null } = await askAgain(
      api,
      'GET',
      `/v1/guard/sites?limit=100${from}`,
    )
    found = page.data.findLast(({ name }) => name === siteName) ?? found
    cursor = page.next_cursor
  }
  return found
}
