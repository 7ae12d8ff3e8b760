import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { AnswerError, Citation, type Message as Row } from '#sql/bots/messages.ts'
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
    created_at: Instant,
  })
  .meta({ id: 'bots.Message' })

export const presentMessage = (row: Row): z.input<typeof Message> => row
