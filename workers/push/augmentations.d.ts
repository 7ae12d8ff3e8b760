/** What the packages' own types leave out. */
import type { ClientHttp2Session } from 'node:http2'
import type { SecureContext } from 'node:tls'
import type { ApnsRequest, Exchange } from './apns/session.ts'

declare module 'node-apn' {
  interface ProviderOptions {
    /** MB, of `http2.connect`. */
    maxSessionMemory?: number
    /** Of `tls.connect`. */
    secureContext?: SecureContext
  }
  interface Provider {
    client: Client
  }
  interface Client {
    session?: ClientHttp2Session
    isDestroyed: boolean
    config: {
      address: string
      token: {
        current: string
        generation: number
        isExpired(seconds: number): boolean
        regenerate(generation: number): void
      }
    }
    /** What `Provider.send` calls for each device: connects where there is no session, and has the request made in it. */
    write(request: ApnsRequest, token: string, type: 'device', method: 'post'): Promise<Exchange>
    request(session: ClientHttp2Session, authority: string, request: ApnsRequest, path: string): Promise<Exchange>
    shutdown(): Promise<void>
  }
}
