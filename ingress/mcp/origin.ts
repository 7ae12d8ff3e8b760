import { appUrl, publicUrl } from '#lib/config.ts'
import { forbidden } from '#lib/errors.ts'
import type { Locks } from '#sql/account/keys.ts'

const own = new Set([publicUrl(), appUrl()].map((url) => new URL(url).origin))

/**
 * Throws 403 if a web page on another origin sends the message, as the protocol requires. The origins of the key’s
 * `origins` lock are allowed. Clients that are not browsers send no `Origin`.
 */
export function checkPageOrigin(origin: string, locks: Locks): void {
  if (origin === '' || own.has(origin) || locks.origins?.includes(origin)) return
  throw forbidden('This web page cannot use the MCP server. Use a key whose `origins` lock has the origin of the page.')
}
