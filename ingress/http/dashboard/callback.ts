import { configuredAppUrl } from '#lib/config.ts'

/** The address that identity providers send back to; `origin` is that of the request, for where none is configured. */
export const callbackUrl = (origin: string): string => `${configuredAppUrl() ?? origin}/app/sign-in/callback`
