import type { Reply } from './ingress.ts'

/**
 * Returns the response of a stream of events up to its first event, because the stream does not end. Returns the whole
 * response if it is no stream.
 */
export async function askStream(base: string, request: string, key: string): Promise<Reply> {
  const path = request.slice('GET '.length)
  const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  let text = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    if (isStream && text.includes('\n\n')) break
  }
  return { status: response.status, headers: response.headers, text, body: undefined }
}
