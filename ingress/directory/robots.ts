import { baseFor } from '#tasks/video/rules/open-url.ts'
import { route } from '../http/route.ts'

/** Below `/v1`, the posters and players that sitemaps name, and what players are made of. */
const open = ['/v1/stream/open/', '/v1/stream/player/']

/** What holds nothing for a search engine. */
const closed = ['/app', '/ops', '/v1']

/** `GET /robots.txt`: what crawlers may ask for (RFC 9309), and where the sitemap is. */
export const file = route({
  method: 'GET',
  path: '/robots.txt',
  summary: 'Get the rules for crawlers',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: { perMinute: 600, by: 'ip' },
  status: 200,
  raw: 'text/plain; charset=utf-8',
  async handle({ ctx, origin }) {
    const rules = [...open.map((path) => `Allow: ${path}`), ...closed.map((path) => `Disallow: ${path}`)]
    ctx.set('cache-control', 'public, max-age=600')
    ctx.type = 'text/plain; charset=utf-8'
    ctx.body = `User-agent: *\n${rules.join('\n')}\n\nSitemap: ${baseFor(origin)}/sitemap.xml\n`
  },
})
