const direct = new Map<string, string>()

/**
 * Registers that `pooledUrl` leads to a transaction pooler, and that `url` is the direct URL. Call it before you open a
 * pool.
 */
export function registerSessionUrl(pooledUrl: string, url: string): void {
  if (pooledUrl !== url) direct.set(pooledUrl, url)
}

export const isPooled = (url: string): boolean => direct.has(url)

/** Returns the URL for connections that need a permanent session, for example for LISTEN. The URL bypasses a pooler. */
export function getSessionUrl({
  configuration: { connectionUri },
}: {
  configuration: { connectionUri: string }
}): string {
  return direct.get(connectionUri) ?? connectionUri
}
