import t from 'tap'
import type { Message } from '../../workers/live/rtmp/chunks.ts'
import { TagSegments } from '../../workers/live/rtmp/segments.ts'

const tag = (type: number, time: number, ...bytes: number[]): Message => ({ type, time, body: Buffer.from(bytes) })

t.test('a publisher whose configuration changes with every picture begins few stretches', async (t) => {
  async function* tags() {
    yield tag(8, 0, 0xaf, 0, 1)
    yield tag(8, 0, 0xaf, 1, 1)
    for (let i = 0; i < 500; i++) {
      yield tag(9, i, 0x17, 0, 0, 0, 0, i % 2)
      yield tag(9, i, 0x17, 1, 0, 0, 0, 9)
    }
  }
  const segments = new TagSegments(tags())
  const { signal } = new AbortController()
  const bytes: number[] = []
  for (let stretch = await segments.next(signal); stretch; stretch = await segments.next(signal)) {
    let length = 0
    for await (const chunk of stretch) length += chunk.length
    bytes.push(length)
  }
  t.ok(segments.isOver)
  t.equal(bytes.length, 6)
  t.ok((bytes.at(-1) ?? 0) > 200 * 21, 'the last one goes on with what it began with')
})
