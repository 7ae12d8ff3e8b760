import type { CompletionRequest } from './gateway.ts'

/** What stands for the bytes of an image, audio or a file, which say nothing of its tokens: 1,500 of those, as texts are estimated. */
const standIn = 'x'.repeat(6_000)

/** A request as its tokens are estimated by: without the bytes of what is no text. */
export const withoutBytes = (request: CompletionRequest): CompletionRequest => ({
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
