import type { Context } from 'koa'
import { appUrl } from '#lib/config.ts'
import { makeSecret } from '#lib/tokens.ts'
import { ceremonyMinutes } from '#sql/account/people/ceremonies.ts'

export const isSecureApp = (): boolean => appUrl().startsWith('https:')

export function setCookie(
  ctx: Context,
  name: string,
  value: string,
  { seconds, sameSite }: { seconds: number; sameSite: 'Strict' | 'Lax' },
): void {
  const parts = [`${name}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', `SameSite=${sameSite}`]
  ctx.append('set-cookie', [...parts, ...(isSecureApp() ? ['Secure'] : [])].join('; '))
}

/** A sign-in method. Each method has a separate cookie, so starting one sign-in does not affect another. */
export type SignInMethod = 'mail' | 'passkey' | 'oidc'

const nameOf = (ctx: Context, way: SignInMethod): string =>
  isSecureApp() ? `__Host-millrace_${way}` : `millrace_${way}_${/:(\d+)$/.exec(ctx.get('host'))?.[1] ?? '0'}`

export const getCeremony = (ctx: Context, way: SignInMethod): string | undefined =>
  ctx.cookies.get(nameOf(ctx, way)) || undefined

/**
 * Stores the secret of a sign-in in the browser. The cookie is Lax, because the user returns from another site (email
 * or provider).
 */
export const storeCeremony = (ctx: Context, way: SignInMethod, secret: string): void =>
  setCookie(ctx, nameOf(ctx, way), secret, { seconds: ceremonyMinutes * 60, sameSite: 'Lax' })

const knownDays = 180

const knownName = (ctx: Context): string =>
  isSecureApp() ? '__Host-millrace_known' : `millrace_known_${/:(\d+)$/.exec(ctx.get('host'))?.[1] ?? '0'}`

export const getKnownBrowser = (ctx: Context): string | undefined => ctx.cookies.get(knownName(ctx)) || undefined

export function rememberBrowser(ctx: Context): string {
  const secret = getKnownBrowser(ctx) ?? makeSecret()
  setCookie(ctx, knownName(ctx), secret, { seconds: knownDays * 86_400, sameSite: 'Lax' })
  return secret
}

export const clearCeremony = (ctx: Context, way: SignInMethod): void =>
  setCookie(ctx, nameOf(ctx, way), '', { seconds: 0, sameSite: 'Lax' })
