import type { Context } from 'koa'
import type { Operation } from './area.ts'
import { dashboardUrl, isDashboard } from './hosts.ts'
import type { Route } from './route.ts'

const exposed = 'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, idempotent-replayed'

export function setTransportSecurity(ctx: Context, operation: Operation): void {
  if (isDashboard(operation) && dashboardUrl.protocol === 'https:')
    ctx.set('strict-transport-security', 'max-age=31536000')
}

/** Allows web pages on other origins to read the response. For upload tokens, `readUploadToken` adds the origin. */
export function setCrossOriginHeaders(ctx: Context, { cors, site, headers, uploadToken, startToken }: Route): void {
  if (cors || site) {
    ctx.set('access-control-allow-origin', '*')
    ctx.set('access-control-expose-headers', [exposed, ...Object.keys(headers ?? {})].join(', '))
  }
  if (uploadToken || startToken) {
    ctx.vary('Origin')
    ctx.set('access-control-expose-headers', exposed)
  }
}
