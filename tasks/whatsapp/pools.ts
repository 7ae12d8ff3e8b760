import { pool } from '../queue/pool.ts'
import type { CloudApi } from './engine.ts'

interface WhatsappTools {
  whatsapp: CloudApi
}

/** Requests to the Cloud API. */
export const whatsapp = pool<WhatsappTools>()('whatsapp', { fetchAhead: 0 })
