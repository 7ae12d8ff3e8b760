import { type Api, ask } from '../video-client.ts'

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
  const { origin } = new URL(baseUrl)
  const body = { name: siteName, origins: [origin] }
  const site = (await findSite(api)) ?? (await ask<Site>(api, 'POST', '/v1/guard/sites', body))
  if (!site.origins.includes(origin))
    await ask(api, 'PATCH', `/v1/guard/sites/${site.id}`, { origins: [...site.origins, origin] })
  return site.site_key
}

/** The oldest site of that name: a developer may have made others. */
async function findSite(api: Api): Promise<Site | undefined> {
  let found: Site | undefined
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const page: { data: Site[]; next_cursor: string | null } = await ask(api, 'GET', `/v1/guard/sites?limit=100${from}`)
    found = page.data.findLast(({ name }) => name === siteName) ?? found
    cursor = page.next_cursor
  }
  return found
}
