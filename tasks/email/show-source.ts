import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as messages from '#sql/email/messages.ts'
import { task } from '../queue/task.ts'
import { MessageBuildError } from './engine.ts'
import { UnsignableError } from './rules/delivery/letters.ts'
import { getSharedState } from './rules/delivery/state.ts'

/** Maximum size of a source in bytes. The rest, such as large attachments, is cut. */
const mostShown = 256 * 1024

interface Source {
  /** Null if the message cannot be created. */
  source: string | null
  isCut: boolean
  reason: string | null
}

/** Creates a message again as it was sent, with its header and signature. Answers a page that shows it. */
export const showSource = task({
  name: 'email/show-source',
  pool: 'mail-transactional',
  payload: z.object({ orgId: Id, messageId: Id }),
  attempts: 1,
  timeout: 60_000,
  tracked: true,
  async run({ orgId, messageId }, tools): Promise<Source> {
    const message = await messages.find(tools.db, orgId, messageId)
    if (!message) return { source: null, isCut: false, reason: 'The message was deleted.' }
    try {
      const { bytes } = await getSharedState(tools).letters.write(tools.db, message, tools.signal, { masked: true })
      const source = bytes.subarray(0, mostShown).toString('utf8').replaceAll('\u0000', '')
      return { source, isCut: bytes.length > mostShown, reason: null }
    } catch (error) {
      if (!(error instanceof UnsignableError || error instanceof MessageBuildError)) throw error
      return { source: null, isCut: false, reason: error.message }
    }
  },
})
