import type { PushEngine } from '#tasks/push/engine.ts'
import { createApns } from './apns/client.ts'
import { BadCredentialError, type PushClient } from './client.ts'
import { createFcm } from './fcm/client.ts'
import { getConfiguredServers, type PushServers } from './servers.ts'
import { createWebPush } from './webpush/client.ts'

export function createPushEngine(
  servers: PushServers = getConfiguredServers(),
): PushEngine & { close(): Promise<void> } {
  const clients: Record<'apns' | 'fcm' | 'webpush', PushClient> = {
    apns: createApns(servers),
    fcm: createFcm(servers),
    webpush: createWebPush(servers),
  }
  return {
    async send(credential, pushes, signal, onResults) {
      try {
        return await clients[credential.provider].send(credential, pushes, signal, onResults)
      } catch (error) {
        if (!(error instanceof BadCredentialError)) throw error
        const { message } = error
        return pushes.map(() => ({ outcome: 'credential', reason: 'bad_credential', error: message, latencyMs: 0 }))
      }
    },
    async check(credential, signal) {
      try {
        return await clients[credential.provider].check(credential, signal)
      } catch (error) {
        if (error instanceof BadCredentialError) return error.message
        throw error
      }
    },
    async close() {
      await Promise.all(Object.values(clients).map((client) => client.close()))
    },
  }
}
