import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Delivery, findMany } from '#sql/bots/deliveries.ts'
import { AnswerError, Citation, type Message as Row } from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { Instant } from '../http/instant.ts'

export const Message = z
  .object({
    id: Id,
    conversation_id: Id,
    seq: z.int().describe('Position in the conversation, starting at 1. An answer directly follows its question.'),
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    status: z.enum(['pending', 'completed', 'failed']),
    citations: z.array(Citation).describe('Exact quotes from the bot’s documents, from `start` to `end`'),
    answered: z
      .boolean()
      .nullable()
      .describe(
        'False if the bot has no answer: `content` is the fallback, or `citations` are up to three passages that may help. `null` if an upstream model wrote the answer.',
      ),
    score: z
      .number()
      .nullable()
      .describe(
        'Likeness of the question and the nearest sentence, from -1 to 1. From 0.45, the sentence answers the question. `null` if only words were compared.',
      ),
    finish_reason: z.enum(['stop', 'length', 'content_filter']).nullable(),
    author: z
      .string()
      .nullable()
      .describe('Person who replied instead of the bot. `null` for messages from the bot and from the user.'),
    error: AnswerError.pick({ code: true, retryable: true }).nullable(),
    metadata: z.record(z.string(), z.string()).nullable(),
    delivery: Delivery.nullable().describe(
      'Delivery of a message that a channel sends to the contact. `window_closed`: WhatsApp allows only templates, because the contact has not written within 24 hours. `refused`: not sent, for `reason`. `sent_message_id` is the ID of the WhatsApp message or the email. `null` for all other messages.',
    ),
    created_at: Instant,
  })
  .meta({ id: 'bots.Message' })

export const presentMessage = ({
  delivery = null,
  ...row
}: Row & { delivery?: Delivery | null }): z.input<typeof Message> => ({ ...row, delivery })

/** Returns messages with their deliveries. A message that was pending when it was read has none yet. */
export async function withDeliveries(
  db: Db,
  rows: readonly Row[],
): Promise<readonly (Row & { delivery: Delivery | null })[]> {
  const found = await findMany(
    db,
    // An answer that was pending when it was read has no delivery: its text is not in `rows`.
    rows.flatMap(({ id, role, status }) => (role === 'assistant' && status !== 'pending' ? [id] : [])),
  )
  return rows.map((row) => ({ ...row, delivery: found.get(row.id) ?? null }))
}
