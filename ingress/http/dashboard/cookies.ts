import type { Context } from 'koa'
import { appUrl } from '#lib/config.ts'
import { makeSecret } from '#lib/tokens.ts'
import { ceremonyMinutes } from '#sql/account/ceremonies.ts'

/** Whether the dashboard is served by https. */
export const isSecureApp = (): boolean => appUrl().startsWith('https:')

/** Sets a cookie of the dashboard. */
export function setCookie(
  ctx: Context,
  name: string,
  value: string,
  { seconds, sameSite }: { seconds: number; sameSite: 'Strict' | 'Lax' },
): void {
  const parts = [`${name}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', `SameSite=${sameSite}`]
  ctx.append('set-cookie', [...parts, ...(isSecureApp() ? ['Secure'] : [])].join('; '))
}

/** What a browser that has begun to sign in is known by: each way has a cookie, so that one begun leaves the other as it is. */
export type Way = 'mail' | 'passkey' | 'oidc'

const nameOf = (ctx: Context, way: Way): string =>
  isSecureApp() ? `__Host-millrace_${way}` : `millrace_${way}_${/:(\d+)$/.exec(ctx.get('host'))?.[1] ?? '0'}`

/** The secret of the ceremony that this browser has begun. */
export const ceremonyOf = (ctx: Context, way: Way): string | undefined => ctx.cookies.get(nameOf(ctx, way)) || undefined

/** Has a browser keep a ceremony's secret: Lax, as one comes back from another site, be it the mail's or the provider's. */
export const keepCeremony = (ctx: Context, way: Way, secret: string): void =>
  setCookie(ctx, nameOf(ctx, way), secret, { seconds: ceremonyMinutes * 60, sameSite: 'Lax' })

/** Days for which a browser is known from which somebody has signed in. */
const knownDays = 180

const knownName = (ctx: Context): string =>
  isSecureApp() ? '__Host-millrace_known' : `millrace_known_${/:(\d+)$/.exec(ctx.get('host'))?.[1] ?? '0'}`

/** What a browser keeps from which somebody has signed in. */
export const knownBrowser = (ctx: Context): string | undefined => ctx.cookies.get(knownName(ctx)) || undefined

/** Has a browser be known from now on; returns what it keeps. */
export function keepKnown(ctx: Context): string {
  const secret = knownBrowser(ctx) ?? makeSecret()
  setCookie(ctx, knownName(ctx), secret, { seconds: knownDays * 86_400, sameSite: 'Lax' })
  return secret
}

/** Has a browser forget a ceremony that is over. */
export const forgetCeremony = (ctx: Context, way: Way): void =>
  setCookie(ctx, nameOf(ctx, way), '', { seconds: 0, sameSite: 'Lax' })
