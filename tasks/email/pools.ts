import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { ConnectionHolder, MailEngine } from './engine.ts'
import type { MailReader } from './rules/received/reader.ts'

export interface MailTools {
  mail: MailEngine
  holder: ConnectionHolder
  secret: string
}

export interface ReceiveTools {
  reader: MailReader
  storage: Storage
}

export const mailTransactional = pool<MailTools & ReceiveTools>()('mail-transactional', { fetchAhead: 0 })

export const mailCampaign = pool<MailTools>()('mail-campaign', { fetchAhead: 0 })
