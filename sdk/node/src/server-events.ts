import { MillraceError } from './errors.ts'

export interface ServerEvent {
  event: string
  id?: string
  /** Parsed JSON data of the event. */
  data: unknown
}

/** An event. If it contains only the reconnection time in milliseconds, `event` is empty. */
type Sent = ServerEvent & { retry?: number }

/** Maximum size of an event in bytes. Millrace sends no larger events. */
const longestEvent = 4 * 1024 * 1024

/** Reads the events of a stream (HTML standard §9.2.6). Throws after `silence` milliseconds without data. */
export async function* serverEvents(body: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<Sent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await heard(reader.read(), silenceMs)
      if (done) return
      rest += decoder.decode(value, { stream: true })
      // If the data ends with a carriage return, the line feed can arrive with the next data.
      const held = rest.endsWith('\r') ? '\r' : ''
      const blocks = rest
        .slice(0, rest.length - held.length)
        .replace(/\r\n?/g, '\n')
        .split('\n\n')
      rest = (blocks.pop() ?? '') + held
      if (rest.length > longestEvent) throw new MillraceError('The stream contains an event without an end.')
      for (const block of blocks) {
        const event = eventOf(block)
        if (event) yield event
      }
    }
  } finally {
    // Leaving the loop closes the connection.
    await reader.cancel().catch(() => {})
  }
}

async function heard<Read>(read: Promise<Read>, ms: number): Promise<Read> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No data received for ${ms} ms.`)), ms)
  })
  try {
    return await Promise.race([read, silence])
  } finally {
    clearTimeout(timer)
  }
}

function eventOf(block: string): Sent | undefined {
  const fields = block.split('\n').map((line) => {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    return { name, value }
  })
  const last = (name: string) => fields.filter((field) => field.name === name).at(-1)?.value
  const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value)
  const [id, retry] = [last('id'), last('retry')]
  if (data.length === 0 && id === undefined && retry === undefined) return undefined
  return {
    event: data.length === 0 ? '' : (last('event') ?? 'message'),
    ...(id === undefined ? {} : { id }),
    ...(retry !== undefined && /^\d+$/.test(retry) ? { retry: Number(retry) } : {}),
    data: data.length === 0 ? undefined : parsed(data.join('\n')),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
