import type { Context } from 'koa'
import { findCell, findCellInUrl } from '#lib/cell-marks.ts'

const ours = /(?:^|;\s*)(?:__Host-)?millrace_[a-z0-9_]{1,40}=([^;\s]{1,200})/g

export function getBearerToken(ctx: Context): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1]
  return bearer ?? (ctx.get('x-api-key').trim() || undefined)
}

export function getNamedCell(ctx: Context): string | undefined {
  const bearer = getBearerToken(ctx)
  return (bearer === undefined ? undefined : findCell(bearer)) ?? findCellInUrl(ctx.url) ?? inCookies(ctx.get('cookie'))
}

function inCookies(cookies: string): string | undefined {
  if (!cookies.includes('millrace_')) return undefined
  for (const [, value = ''] of cookies.matchAll(ours)) {
    const cell = findCell(value)
    if (cell !== undefined) return cell
  }
  return undefined
}
