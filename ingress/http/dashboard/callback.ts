import { configuredAppUrl } from '#lib/config.ts'

/** Returns the redirect URL for identity providers. `origin` is the request’s origin, used if no URL is configured. */
export const callbackUrl = (origin: string): string => `${configuredAppUrl() ?? origin}/app/sign-in/callback`
