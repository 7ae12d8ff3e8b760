import type { OutboundClient } from '#lib/http.ts'
import type { Connection, SmsGateway } from '#tasks/sms/engine.ts'
import { type Exchange, exchange } from './exchange.ts'
import { sendByHttp } from './own-http.ts'
import { sendByTwilio } from './twilio.ts'
import { sendByVonage } from './vonage.ts'

export interface GatewaySettings {
  /** Client for the servers of Twilio and Vonage, which the operator can replace. */
  known: OutboundClient
  /** Client for URLs that customers give. */
  outbound: OutboundClient
  /** Client that can also reach this machine. Undefined if no organisation can. */
  local: OutboundClient | undefined
  twilio: string
  vonage: string
  timeoutMs: number
}

const withoutSlash = (server: string): string => (server.endsWith('/') ? server.slice(0, -1) : server)

export function createGateway({ known, outbound, local, timeoutMs, ...servers }: GatewaySettings): SmsGateway {
  const [twilio, vonage] = [withoutSlash(servers.twilio), withoutSlash(servers.vonage)]
  const exchangeFor =
    (client: OutboundClient, { orgId }: Connection, signal: AbortSignal): Exchange =>
    (request) =>
      exchange(client, request, { timeoutMs, holder: orgId, signal })
  return {
    async send(connection, message, signal) {
      if (connection.kind === 'http') {
        const client = (connection.isLocal ? local : undefined) ?? outbound
        return { providerMessageId: await sendByHttp(exchangeFor(client, connection, signal), connection, message) }
      }
      const ask = exchangeFor(known, connection, signal)
      const providerMessageId =
        connection.kind === 'twilio'
          ? await sendByTwilio(ask, twilio, connection, message)
          : await sendByVonage(ask, vonage, connection, message)
      return { providerMessageId }
    },
    async close() {
      await Promise.all([known.close(), outbound.close(), local?.close()])
    },
  }
}
