import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as connections from '#sql/notify/connections.ts'
import { task } from '../queue/task.ts'
import { isLocalOrg, selectOutbound } from '../webhooks/rules/endpoint-url.ts'
import { emitConnection } from './rules/emit-chat.ts'
import { postChatMessage } from './rules/post-chat-message.ts'

/** Sends a test message to a connection. If the server accepts the message, the connection is active. */
export const testConnection = task({
  name: 'notify/test-connection',
  pool: 'webhooks',
  payload: z.object({ connectionId: Id }),
  tracked: true,
  attempts: 1,
  timeout: 30_000,
  async run({ connectionId }, { db, outbound: usual, local, seal, signal }) {
    const connection = await connections.findAny(db, connectionId)
    if (!connection) throw new Permanent('The connection was deleted.')
    const means = { seal, outbound: await selectOutbound(connection.org_id, { db, outbound: usual, local }), signal }
    const isLocal = local !== undefined && (await isLocalOrg(db, connection.org_id))
    const message = {
      ...{ id: newId(), event_id: null, user_id: null, product_key: 'millrace', type: 'connection.test', data: {} },
      title: 'Millrace is connected',
      body: `Notifications for ${connection.name} arrive here.`,
      url: null,
      created_at: new Date(),
    }
    const result = await postChatMessage(connection, message, { ...means, isLocal })
    if (result.outcome === 'sent') {
      await db.transaction(async (tx) => {
        const verified = await connections.markVerified(tx, connection)
        if (verified) await emitConnection(tx, 'verified', verified)
      })
      return { delivered: true, error: null }
    }
    await connections.saveReason(db, connection, result.error.message)
    return { delivered: false, error: result.error }
  },
})
