import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createHooks } from './hooks.ts'
import { createProviderApi } from './provider-api.ts'
import { createThreads } from './threads.ts'
import { createWeb } from './web.ts'

export interface SandboxOptions {
  host: string
  port: number
  accountSid: string
  authToken: string
}

/** Starts an SMS provider that delivers nothing, with a phone that shows its messages. */
export async function startSmsSandbox(options: SandboxOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { host, accountSid, authToken } = options
  const threads = createThreads()
  const hooks = createHooks(authToken)
  const web = createWeb({ threads, hooks, api: createProviderApi({ threads, hooks, accountSid, authToken }), host })
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
      await closed
    },
  }
}
