import type Router from '@koa/router'
import type { Context } from 'koa'
import { Problem } from '#lib/errors.ts'
import { maskText } from '#lib/mask.ts'
import type { Operation } from './area.ts'
import { takesUploadTokens } from './upload-tokens.ts'

export function handleUnmatched(ctx: Context, router: Router, operations: readonly Operation[]): void {
  const layers = router.match(ctx.path, ctx.method).path
  if (layers.length === 0) {
    throw notHere(ctx)
  }
  const methods = [...new Set(layers.flatMap((layer) => layer.methods)), 'OPTIONS'].join(', ')
  ctx.set('allow', methods)
  if (ctx.method !== 'OPTIONS') {
    throw new Problem(405, 'method_not_allowed', `${ctx.method} is not allowed for this path. Allowed: ${methods}.`)
  }
  const names = new Set(layers.map((layer) => layer.name))
  const found = operations.filter(({ id }) => names.has(id)).map(({ route }) => route)
  if (found.some(({ cors, site }) => cors || site)) allowPages(ctx, '*', methods)
  else if (found.some(takesUploadTokens)) {
    // A preflight does not contain the upload token. Only the request with the token shows which web pages can use it.
    ctx.vary('Origin')
    if (ctx.get('origin') !== '') allowPages(ctx, ctx.get('origin'), methods)
  }
  ctx.status = 204
}

const notHere = ({ path }: Context): Problem =>
  new Problem(
    404,
    'not_found',
    `The path ${maskText(path)} does not exist. GET /v1 lists all operations, and /docs explains them.`,
  )

function allowPages(ctx: Context, origin: string, methods: string): void {
  ctx.set('access-control-allow-origin', origin)
  ctx.set('access-control-allow-methods', methods)
  ctx.set(
    'access-control-allow-headers',
    'authorization, content-type, idempotency-key, x-request-id, x-api-key, range, mcp-protocol-version, mcp-method, mcp-name',
  )
  ctx.set('access-control-max-age', '7200')
}
