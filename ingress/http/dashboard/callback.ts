import { configuredAppUrl } from '#lib/config.ts'

export const callbackUrl = (origin: string): string => `${configuredAppUrl() ?? origin}/app/sign-in/callback`
