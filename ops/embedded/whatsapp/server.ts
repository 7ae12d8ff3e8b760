import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { openChats } from './chats.ts'
import { createGraphApi } from './graph-api.ts'
import { createHooks } from './hooks.ts'
import { openOwnNumber } from './own-number.ts'
import { createPhones } from './phones.ts'
import { createWeb } from './web.ts'

export interface SandboxOptions {
  host: string
  port: number
  dir: string
  accessToken: string
  appSecret: string
  verifyToken: string
  webhook: string
}

/** Starts a Cloud API sandbox that delivers nothing, with a phone that shows its messages. */
export async function startWhatsappSandbox(options: SandboxOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { host, dir, accessToken, appSecret, verifyToken, webhook } = options
  const chats = await openChats(dir)
  if (chats.list().length === 0) chats.open('3725550101', 'Ann')
  const own = openOwnNumber(dir)
  const hooks = createHooks({ url: webhook, appSecret, verifyToken, own })
  const graph = createGraphApi({ chats, hooks, own, accessToken, appSecret })
  const web = createWeb({ chats, phones: createPhones(chats, hooks), graph, host })
  web.listen(options.port, host)
  await once(web, 'listening')
  const { port } = web.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async close() {
      hooks.close()
      const closed = once(web, 'close')
      web.close()
      web.closeAllConnections()
      await Promise.all([closed, chats.written()])
    },
  }
}
