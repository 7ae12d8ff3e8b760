import { appUrl } from '#lib/config.ts'

/** The path of the page on which an invitation is accepted, by its token. */
export const joinPath = (token: string): string => `/app/join/${token}`

/** Its whole address. */
export const joinUrl = (token: string): string => appUrl() + joinPath(token)
