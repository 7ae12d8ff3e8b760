import { z } from 'zod'
import { textOr } from '../http/request/issues.ts'
import { optionalOrNull } from './completion-messages.ts'

export const CacheControl = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: optionalOrNull(z.enum(['5m', '1h'])),
})

const cached = { cache_control: optionalOrNull(CacheControl) }

export const TextBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: optionalOrNull(z.array(z.looseObject({})).max(256)),
  ...cached,
})

const base64Only = 'must be base64: Millrace does not fetch URLs and has no files of the operator’s account'

/** Accepts only data, not URLs and IDs, for the reasons in `completion-messages.ts`. */
const dataSource = (mediaType: z.ZodType<string>) =>
  z.strictObject({ type: z.literal('base64', base64Only), media_type: mediaType, data: z.base64() })

const Image = z.strictObject({
  type: z.literal('image'),
  source: dataSource(z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])),
  ...cached,
})

const Document = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    dataSource(z.literal('application/pdf')),
    z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  ]),
  title: optionalOrNull(z.string().max(500)),
  context: optionalOrNull(z.string()),
  citations: optionalOrNull(z.strictObject({ enabled: z.boolean() })),
  ...cached,
})

const ToolUse = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().min(1).max(200),
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  ...cached,
})

const ToolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1).max(200),
  content: optionalOrNull(
    textOr(z.string(), z.array(z.discriminatedUnion('type', [TextBlock, Image, Document])).max(256)),
  ),
  is_error: optionalOrNull(z.boolean()),
  ...cached,
})

/** Reasoning of an answer, which clients send back unchanged. */
const Thinking = z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() })
const RedactedThinking = z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() })

const blocks = <Block extends z.ZodType>(block: Block) => textOr(z.string(), z.array(block).min(1).max(1_000))

export const MessageParam = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: blocks(z.discriminatedUnion('type', [TextBlock, Image, Document, ToolResult])),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: blocks(z.discriminatedUnion('type', [TextBlock, ToolUse, Thinking, RedactedThinking])),
  }),
])
