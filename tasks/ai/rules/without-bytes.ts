import type { CompletionRequest } from './gateway.ts'

/**
 * Replaces the bytes of an image, audio or file, because their length does not show the number of tokens. The
 * replacement counts as 1,500 tokens.
 */
const standIn = 'x'.repeat(6_000)

/** Returns a request for the token estimate, without the bytes of binary parts. */
export const removeBinaryParts = (request: CompletionRequest): CompletionRequest => ({
  ...request,
  ...(request.messages && { messages: request.messages.map(withoutBytes) }),
  ...(Array.isArray(request.input) && { input: request.input.map(withoutBytes) }),
})

/** Also replaces bytes in the results of tools, which are parts of a part or of an item. */
function withoutBytes(message: unknown): unknown {
  if (!isObject(message)) return message
  const { content, output } = message
  return {
    ...message,
    ...(Array.isArray(content) && { content: content.map(partWithoutBytes) }),
    ...(Array.isArray(output) && { output: output.map(partWithoutBytes) }),
  }
}

function partWithoutBytes(part: unknown): unknown {
  if (!isObject(part)) return part
  const { image_url, input_audio, file, source, content } = part
  if (typeof image_url === 'string') return { ...part, image_url: standIn }
  if (isObject(image_url)) return { ...part, image_url: { ...image_url, url: standIn } }
  if (isObject(input_audio)) return { ...part, input_audio: { ...input_audio, data: standIn } }
  if (isObject(file)) return { ...part, file: { ...file, file_data: standIn } }
  if (typeof part.file_data === 'string') return { ...part, file_data: standIn }
  if (isObject(source) && source.type === 'base64') return { ...part, source: { ...source, data: standIn } }
  return Array.isArray(content) ? { ...part, content: content.map(partWithoutBytes) } : part
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
