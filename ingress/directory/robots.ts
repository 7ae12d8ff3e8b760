import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { route } from '../http/route.ts'

/** Paths below `/v1` that crawlers need, for example for posters and players in sitemaps. */
const open = ['/v1/stream/open/', '/v1/stream/player/']

/** Paths that have no content for search engines. */
const closed = ['/app', '/ops', '/v1']

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
    ctx.body = `User-agent: *\n${rules.join('\n')}\n\nSitemap: ${getPublicBase(origin)}/sitemap.xml\n`
  },
})
