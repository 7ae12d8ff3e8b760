// biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
type Said = any

export interface ChatReader {
  status: number
  events: { event: string; data: Said }[]
  readonly over: boolean
  last(event: string): Said
  close(): void
}

/** Opens the stream of a chat, as an `EventSource` does. */
export async function readChat(url: string): Promise<ChatReader> {
  const stopped = new AbortController()
  const response = await fetch(`${url}/stream`, { signal: stopped.signal })
  const events: ChatReader['events'] = []
  let over = response.status !== 200
  const read = async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1]
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (event) events.push({ event, data: JSON.parse(data ?? 'null') })
      }
    }
  }
  void read()
    .catch(() => {})
    .finally(() => {
      over = true
    })
  return {
    status: response.status,
    events,
    get over() {
      return over
    },
    last: (event) => events.findLast((one) => one.event === event)?.data,
    close: () => stopped.abort(),
  }
}
