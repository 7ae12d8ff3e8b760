import { config, publicUrl } from '#lib/config.ts'

/** The address clients use, when it is configured; else the one this client used. */
export const baseFor = (origin: string): string => (config.PUBLIC_URL ? publicUrl() : origin)

/** Where an asset is played without a token. */
export const openBase = (origin: string, assetId: string): string => `${baseFor(origin)}/v1/stream/open/${assetId}`
