import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type ChatMessage, Role } from '#sql/live/chat-messages.ts'
import { type ChatSettings, Opens } from '#sql/live/chats.ts'
import { Instant } from '../../http/instant.ts'

/** Maximum number of characters of a message. A notification of Postgres has at most 8,000 bytes. */
export const mostLetters = 500

const hasControl = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** One line of text. Links are text: clients must not render HTML. */
const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .refine((text) => [...text].length <= most, `must have at most ${most} characters`)
    .refine((text) => !hasControl.test(text), 'must be one line without control characters')
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode text')

export const MessageText = line(mostLetters)
export const DisplayName = line(50)
export const BanReason = line(200)

export const Message = z
  .object({
    messageId: Id,
    personId: Id.nullable().describe('Person in this chat. `null` for messages of your organisation.'),
    name: z.string(),
    role: Role.describe('`host`: written through the API'),
    text: z.string(),
    at: Instant,
  })
  .meta({ id: 'live.ChatMessage' })

export const presentMessage = (one: ChatMessage): z.input<typeof Message> => ({
  messageId: one.id,
  personId: one.person_id,
  name: one.name,
  role: one.role,
  text: one.text,
  at: one.created_at.toISOString(),
})

export const Settings = z
  .object({
    channelId: Id,
    opens: Opens,
    earlyMinutes: z.int(),
    slowSeconds: z.int(),
    maxLength: z.int(),
    history: z.int(),
    keepDays: z.int(),
    isOpen: z.boolean().describe('Whether viewers can write now'),
    updatedAt: Instant.nullable().describe('`null` if all settings have their defaults'),
  })
  .meta({ id: 'live.Chat' })

export const SettingsChange = z.strictObject({
  opens: Opens.optional().describe(
    'When viewers can write. `broadcast`: while a broadcast is live. Default: `broadcast`.',
  ),
  earlyMinutes: z
    .int()
    .min(0)
    .max(1_440)
    .optional()
    .describe('With `broadcast`: minutes before a scheduled broadcast at which the chat opens. Default: 15.'),
  slowSeconds: z
    .int()
    .min(0)
    .max(3_600)
    .optional()
    .describe('Seconds between two messages of a viewer (slow mode). Moderators are exempt. Default: 0.'),
  maxLength: z.int().min(1).max(mostLetters).optional().describe('Maximum characters of a message. Default: 300.'),
  history: z.int().min(0).max(200).optional().describe('Number of earlier messages that a viewer gets. Default: 50.'),
  keepDays: z.int().min(1).max(365).optional().describe('Days until messages are deleted. Default: 30.'),
})

export const presentSettings = (
  channelId: string,
  one: ChatSettings & { updated_at: Date | null },
  isOpen: boolean,
): z.input<typeof Settings> => ({
  channelId,
  opens: one.opens,
  earlyMinutes: one.early_minutes,
  slowSeconds: one.slow_seconds,
  maxLength: one.max_length,
  history: one.history,
  keepDays: one.keep_days,
  isOpen,
  updatedAt: one.updated_at,
})
