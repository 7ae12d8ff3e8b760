import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import * as chats from '#sql/live/chats.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { readChat } from './chat-reader.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const { db, ask } = stack
const base = '/v1/stream/live/channels'

async function makeChat(): Promise<string> {
  const { channelId } = (await ask(`POST ${base}`, { body: { name: 'Chat' } })).body
  await ask(`PATCH ${base}/${channelId}/chat`, { body: { opens: 'always' } })
  return channelId
}

const tokenOf = async (channelId: string, userId: string): Promise<{ url: string; personId: string }> =>
  (await ask(`POST ${base}/${channelId}/chat/tokens`, { body: { userId, name: userId } })).body

t.test('a thousand viewers on two ingresses get each message, and a banned one leaves within a second', async (t) => {
  const viewers = 1_000
  const second = await stack.another()
  const channelId = await makeChat()
  const tokens: { url: string; personId: string }[] = []
  for (let i = 0; i < viewers; i += 50)
    tokens.push(...(await Promise.all(Array.from({ length: 50 }, (_, j) => tokenOf(channelId, `viewer-${i + j}`)))))
  const readers: Awaited<ReturnType<typeof readChat>>[] = []
  t.teardown(async () => {
    for (const one of readers) one.close()
  })
  for (let i = 0; i < viewers; i += 50) {
    const opened = tokens
      .slice(i, i + 50)
      .map(({ url }, j) => readChat(j % 2 ? url.replace(stack.ingress.url, second.url) : url))
    readers.push(...(await Promise.all(opened)))
  }
  await until(() => readers.every(({ last }) => last('ready')), { timeout: 60_000, what: 'all are connected' })
  const times: number[] = []
  for (let i = 0; i < 20; i++) {
    const text = `message ${i}`
    const began = performance.now()
    await ask(`POST ${base}/${channelId}/chat/messages`, { body: { name: 'Team', text } })
    await until(() => readers.every(({ last }) => last('message')?.text === text), { every: 2, what: text })
    times.push(performance.now() - began)
  }
  const sorted = times.toSorted((a, b) => a - b)
  t.comment(
    `written to the last of ${viewers} viewers: median ${sorted[10]?.toFixed(0)} ms, maximum ${sorted.at(-1)?.toFixed(0)} ms`,
  )
  t.ok(
    readers.every(({ events }) => events.filter(({ event }) => event === 'message').length === 20),
    'each one once',
  )
  const began = performance.now()
  await ask(`PUT ${base}/${channelId}/chat/bans/${tokens[1]?.personId}`, { body: {} })
  await until(() => readers[1]?.over, { every: 5, what: 'the banned viewer is disconnected' })
  const took = performance.now() - began
  t.ok(took < 1_000, `${took.toFixed(0)} ms`)
  t.equal(readers.filter(({ over }) => over).length, 1)
})

t.test('a reader that does not read is disconnected', async (t) => {
  const channelId = await makeChat()
  const { pathname, port } = new URL((await tokenOf(channelId, 'slow')).url)
  const socket = connect(Number(port), '127.0.0.1')
  t.teardown(async () => void socket.destroy())
  socket.write(`GET ${pathname}/stream HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
  await once(socket, 'readable')
  const ended = once(socket, 'close')
  socket.on('error', () => {})
  const filler = 'x'.repeat(7_000)
  // More than the buffers of the kernel.
  for (let i = 0; i < 3_000; i++)
    await chats.notify(db, { c: channelId, e: 'message', d: { messageId: String(i), filler } })
  socket.resume()
  await ended
  t.ok(socket.bytesRead < 3_000 * filler.length, `${socket.bytesRead} bytes`)
})
