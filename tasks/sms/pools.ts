import type { Seal } from '#lib/seal.ts'
import { pool } from '../queue/pool.ts'
import type { SmsGateway } from './engine.ts'

export interface SmsTools {
  sms: SmsGateway
  /** Decrypts the secrets of connections. Undefined without `SIGNING_SECRET`. */
  seal: Seal | undefined
}

export const sms = pool<SmsTools>()('sms', { fetchAhead: 0 })
