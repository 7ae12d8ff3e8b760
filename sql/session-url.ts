/** Past a pooler in transaction mode: URLs by the pooler's own. */
const direct = new Map<string, string>()

/** Notes, before a pool is opened, that its URL leads through a pooler that keeps no session, and `url` past it. */
export function keepSessionsAt(pooledUrl: string, url: string): void {
  if (pooledUrl !== url) direct.set(pooledUrl, url)
}

/** Whether a URL leads through a pooler that keeps no session. */
export const isPooled = (url: string): boolean => direct.has(url)

/** The URL for connections whose session must last, as it must for LISTEN: past a pooler, if one is in front of the pool. */
export function sessionUrl({ configuration: { connectionUri } }: { configuration: { connectionUri: string } }): string {
  return direct.get(connectionUri) ?? connectionUri
}
