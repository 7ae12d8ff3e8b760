import { appUrl } from '#lib/config.ts'

/** The page on which an invitation is accepted, by its token. */
export const joinUrl = (token: string): string => `${appUrl()}/app/join/${token}`
