import { request } from 'node:http'
import type { TestScope } from '../support/ingress.ts'
import { until } from '../support/until.ts'

/** One event as it came. */
export interface Came {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape.
  data: any
  id: string | undefined
}

/** A stream as a client reads it, by the rules of the HTML standard (§9.2.6). */
export interface Source {
  status: number
  headers: Readonly<Record<string, unknown>>
  /** All that has come, in its order. */
  came: Came[]
  /** What came that was no event: comments, the time to reconnect. */
  lines: string[]
  /** What a client that comes back sends as `Last-Event-ID`. */
  lastEventId: string
  ended: boolean
  /** Waits for so many events of a name; returns their data. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape.
  wait(event: string, count: number): Promise<any[]>
  /** Reads nothing more until it is closed. */
  pause(): void
  close(): void
}

/** Opens a stream; it is closed with the test. */
export async function openSource(t: TestScope, url: string, headers: Record<string, string> = {}): Promise<Source> {
  const { promise, resolve, reject } = Promise.withResolvers<Source>()
  const asked = request(url, { headers }, (res) => {
    const source: Source = {
      status: res.statusCode as number,
      headers: res.headers,
      came: [],
      lines: [],
      lastEventId: '',
      ended: false,
      async wait(event, count) {
        const those = () => source.came.filter((one) => one.event === event).map(({ data }) => data)
        await until(() => those().length >= count, { what: `${count} of ${event} have come` })
        return those()
      },
      pause: () => void res.pause(),
      close: () => void asked.destroy(),
    }
    let rest = ''
    res.setEncoding('utf8')
    res.on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() as string
      for (const block of blocks) take(source, block)
    })
    res.on('error', () => {})
    res.once('close', () => {
      source.ended = true
    })
    resolve(source)
  })
  asked.once('error', reject).end()
  t.teardown(async () => void asked.destroy())
  return await promise
}

function take(source: Source, block: string): void {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const id = fields.get('id')
  if (id !== undefined) source.lastEventId = id
  const data = fields.get('data')
  if (data === undefined) source.lines.push(block)
  else source.came.push({ event: fields.get('event') ?? 'message', data: JSON.parse(data), id })
}
