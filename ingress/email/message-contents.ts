import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/messages.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { actorOfCall } from '../http/acting.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { contentDeleted, contentKeptUntil, createContentDeleted, findMessageContent } from './messages/content.ts'
import { filterByReach } from './messages/reach.ts'

const Content = z
  .object({
    id: Id,
    subject: z.string(),
    from: z.object({ email: z.string(), name: z.string().nullable() }),
    to: z.string(),
    reply_to: z.string().nullable(),
    headers: z.record(z.string(), z.string()).describe('Additional headers of the request'),
    html: z.string().nullable().describe('HTML as the recipient received it'),
    text: z
      .string()
      .nullable()
      .describe('Plain text. `null` if it is created from HTML of more than 32,768 characters.'),
    attachments: z
      .array(
        z.object({
          filename: z.string(),
          content_type: z.string(),
          content_id: z.string().nullable(),
          byte_size: z.int().describe('Size in bytes, after decoding'),
        }),
      )
      .describe('Attachments without their bytes'),
    kept_until: Instant.describe('Time at which Millrace deletes the content. Pending messages keep it longer.'),
  })
  .meta({ id: 'email.MessageContent' })

export const read = route({
  method: 'GET',
  path: '/messages/{id}/content',
  summary: 'Read the content of a message',
  description:
    'Returns the content that the recipient received, until it is deleted. It can contain links that sign in the recipient, so it needs its own scope. The audit log records the call.',
  tool: { name: 'get_email_content', outsideText: true },
  scope: 'email:content',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params: z.object({ id: pathId('message') }),
  status: 200,
  reply: Content,
  problems: ['not_found', contentDeleted],
  async handle({ params, org, key, actor, requestId, ip, db }) {
    const message = await mustFind(filterByReach(key, rows.find(db, org.id, params.id)), 'message')
    const content = await findMessageContent(db, message)
    if (!content) throw createContentDeleted(message)
    await recordContentsRead(db, actorOfCall({ org, key, actor, requestId, ip }), { kind: 'email', id: message.id })
    return {
      id: message.id,
      subject: message.subject,
      from: { email: message.from_email, name: message.from_name },
      to: message.to_email,
      ...content,
      attachments: content.attachments.map(({ bytes, ...rest }) => ({ ...rest, byte_size: bytes })),
      kept_until: contentKeptUntil(message),
    }
  },
})
