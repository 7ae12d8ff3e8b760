import { pool } from '../queue/pool.ts'
import type { ConnectionHolder, MailEngine } from './engine.ts'

/** What both pools of mail lend. */
export interface MailTools {
  mail: MailEngine
  holder: ConnectionHolder
  /** By which the private keys of domains are sealed, and links and return paths signed. */
  secret: string
}

/** Mail that somebody waits for. */
export const mailTransactional = pool<MailTools>()('mail-transactional', { fetchAhead: 0 })

/** Mail to lists. */
export const mailCampaign = pool<MailTools>()('mail-campaign', { fetchAhead: 0 })
