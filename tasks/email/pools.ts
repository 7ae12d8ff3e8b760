import { pool } from '../queue/pool.ts'
import type { MailEngine } from './engine.ts'

interface MailTools {
  mail: MailEngine
}

/** Mail that somebody waits for. */
export const mailTransactional = pool<MailTools>()('mail-transactional', { fetchAhead: 0 })

/** Mail to lists. */
export const mailCampaign = pool<MailTools>()('mail-campaign', { fetchAhead: 0 })
