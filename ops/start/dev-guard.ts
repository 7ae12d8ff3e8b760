import { type Api, askAgain } from '../video-client.ts'

interface Site {
  name: string
  id: string
  site_key: string
  origins: string[]
}

/** The site that is seeded. */
const siteName = 'dev'

/** Gives the organisation `dev` a site for pages of this server, as a client does, unless it has one; returns its public key. */
export async function seedGuard(api: Api, baseUrl: string): Promise<string> {
  const origins = originsOf(baseUrl)
  const site =
    (await findSite(api)) ?? (await askAgain<Site>(api, 'POST', '/v1/guard/sites', { name: siteName, origins }))
  // Its port may be another one than at the last start; what a developer has added stays.
  const missing = origins.filter((origin) => !site.origins.includes(origin))
  if (missing.length > 0)
    await askAgain(api, 'PATCH', `/v1/guard/sites/${site.id}`, { origins: [...site.origins, ...missing] })
  return site.site_key
}

/** The server's origin, by its address and by its name when it is this machine. */
function originsOf(baseUrl: string): string[] {
  const { origin, hostname } = new URL(baseUrl)
  return hostname === '127.0.0.1' ? [origin, origin.replace(hostname, 'localhost')] : [origin]
}

/** The oldest site of that name: a developer may have made others. */
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
