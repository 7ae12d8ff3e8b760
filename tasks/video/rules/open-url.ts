import { config, publicUrl } from '#lib/config.ts'

/** Returns the configured public base URL. If it is not set, returns the base URL that this client used. */
export const getPublicBase = (origin: string): string => (config.PUBLIC_URL ? publicUrl() : origin)

export const getOpenBase = (origin: string, assetId: string): string =>
  `${getPublicBase(origin)}/v1/stream/open/${assetId}`
