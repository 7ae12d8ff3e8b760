import { appUrl } from '#lib/config.ts'

export const joinPath = (token: string): string => `/app/join/${token}`

export const joinUrl = (token: string): string => appUrl() + joinPath(token)
