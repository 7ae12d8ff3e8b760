import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { ConnectionHolder, MailEngine } from './engine.ts'
import type { MailReader } from './rules/reader.ts'

/** What both pools of mail lend. */
export interface MailTools {
  mail: MailEngine
  holder: ConnectionHolder
  /** By which the private keys of domains are sealed, and links and return paths signed. */
  secret: string
}

/** What the pool of single mails lends beside that, for those that come in. */
export interface ReceiveTools {
  reader: MailReader
  storage: Storage
}

/** Mail that somebody waits for, whichever way it goes. */
export const mailTransactional = pool<MailTools & ReceiveTools>()('mail-transactional', { fetchAhead: 0 })

/** Mail to lists. */
export const mailCampaign = pool<MailTools>()('mail-campaign', { fetchAhead: 0 })
