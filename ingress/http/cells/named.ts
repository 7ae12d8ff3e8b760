import type { Context } from 'koa'
import { cellIn, cellInUrl } from '#lib/cell-marks.ts'

const ours = /(?:^|;\s*)(?:__Host-)?millrace_[a-z0-9_]{1,40}=([^;\s]{1,200})/g

export function bearerOf(ctx: Context): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1]
  return bearer ?? (ctx.get('x-api-key').trim() || undefined)
}

export function cellNamedBy(ctx: Context): string | undefined {
  const bearer = bearerOf(ctx)
  return (bearer === undefined ? undefined : cellIn(bearer)) ?? cellInUrl(ctx.url) ?? inCookies(ctx.get('cookie'))
}

function inCookies(cookies: string): string | undefined {
  if (!cookies.includes('millrace_')) return undefined
  for (const [, value = ''] of cookies.matchAll(ours)) {
    const cell = cellIn(value)
    if (cell !== undefined) return cell
  }
  return undefined
}
