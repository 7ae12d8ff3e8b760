const direct = new Map<string, string>()

/** Registers that a URL leads to a transaction pooler, and the direct `url`. Call it before opening a pool. */
export function registerSessionUrl(pooledUrl: string, url: string): void {
  if (pooledUrl !== url) direct.set(pooledUrl, url)
}

export const isPooled = (url: string): boolean => direct.has(url)

/** Returns the URL for connections that need a permanent session, for example for LISTEN. It bypasses a pooler. */
export function getSessionUrl({
  configuration: { connectionUri },
}: {
  configuration: { connectionUri: string }
}): string {
  return direct.get(connectionUri) ?? connectionUri
}
