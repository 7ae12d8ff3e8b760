import type { CompletionRequest } from './gateway.ts'

/**
 * Replaces the bytes of an image, audio or file, because their length does not show the number of tokens. The
 * replacement counts as 1,500 tokens.
 */
const standIn = 'x'.repeat(6_000)

/** Returns a request for the token estimate, without the bytes of binary parts. */
export const removeBinaryParts = (request: CompletionRequest): CompletionRequest => ({
  ...request,
  messages: request.messages.map((message) =>
    isObject(message) && Array.isArray(message.content)
      ? { ...message, content: message.content.map((part) => (isObject(part) ? partWithoutBytes(part) : part)) }
      : message,
  ),
})

function partWithoutBytes(part: Record<string, unknown>): Record<string, unknown> {
  const { image_url, input_audio, file } = part
  if (isObject(image_url)) return { ...part, image_url: { ...image_url, url: standIn } }
  if (isObject(input_audio)) return { ...part, input_audio: { ...input_audio, data: standIn } }
  if (isObject(file)) return { ...part, file: { ...file, file_data: standIn } }
  return part
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
