import { type Api, ask } from '../video-client.ts'

interface Site {
  id: string
  name: string
  site_key: string
  origins: string[]
}

/** The site that is seeded. */
const name = 'dev'

/** Gives the organisation `dev` a site whose pages are those of this server, as a client does; returns its public key. */
export async function seedGuard(api: Api, baseUrl: string): Promise<string> {
  const { data } = await ask<{ data: Site[] }>(api, 'GET', '/v1/guard/sites?limit=100')
  const origins = originsOf(baseUrl)
  const site = data.findLast((one) => one.name === name)
  if (!site) return (await ask<Site>(api, 'POST', '/v1/guard/sites', { name, origins })).site_key
  // Its port may be another one since the last start; what a developer has added stays.
  const missing = origins.filter((origin) => !site.origins.includes(origin))
  if (missing.length > 0)
    await ask(api, 'PATCH', `/v1/guard/sites/${site.id}`, { origins: [...site.origins, ...missing] })
  return site.site_key
}

/** The server's own origin, by its address and by its name when it is this machine. */
function originsOf(baseUrl: string): string[] {
  const { origin, hostname } = new URL(baseUrl)
  return hostname === '127.0.0.1' ? [origin, origin.replace(hostname, 'localhost')] : [origin]
}
