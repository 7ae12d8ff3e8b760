import t from 'tap'
import { Framer, InvalidSipError } from '../../workers/voice/framer.ts'

const message = (body: string, more = '') =>
  `OPTIONS sip:a SIP/2.0\r\nCall-ID: 1\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

t.test('messages are told apart however their bytes come', async (t) => {
  const whole = Buffer.from(`${message('')}\r\n\r\n${message('v=0\r\n\r\nx')}\r\n${message('b', 'l: 1\r\n')}`)
  for (const size of [1, 2, 3, 7, 50, whole.length]) {
    const framer = new Framer()
    const found: string[] = []
    for (let at = 0; at < whole.length; at += size) {
      found.push(...framer.push(whole.subarray(at, at + size)).map(String))
    }
    t.same(found, [message(''), '', message('v=0\r\n\r\nx'), message('b', 'l: 1\r\n')], `${size} at a time`)
    t.notOk(framer.partial)
  }
})

t.test('what is too long, or does not say how long it is, is not waited for', async (t) => {
  const head = 'OPTIONS sip:a SIP/2.0\r\n'
  for (const bytes of [
    `${head}Call-ID: 1\r\n\r\n`,
    `${head}Content-Length: -1\r\n\r\n`,
    `${head}Content-Length: 1e3\r\n\r\n`,
    `${head}Content-Length: 99999999999\r\n\r\n`,
    `${head}Content-Length: 70000\r\n\r\n`,
    `${head}Content-Length: 1\r\nl: 2\r\n\r\nab`,
    'x'.repeat(70_000),
    `${head}X: ${'y'.repeat(70_000)}\r\n\r\n`,
  ]) {
    t.throws(() => new Framer().push(Buffer.from(bytes)), InvalidSipError, bytes.slice(0, 60))
  }
})

t.test('a byte at a time costs no more than its length', async (t) => {
  const one = Buffer.from('x')
  const time = () => {
    const framer = new Framer()
    const begun = performance.now()
    for (let i = 0; i < 60_000; i++) framer.push(one)
    return performance.now() - begun
  }
  // The shortest of three, because other processes can delay one.
  t.ok(Math.min(time(), time(), time()) < 2_000)
})

t.test('a chunk of keep-alives is one, and many messages in a chunk are moved once', async (t) => {
  const framer = new Framer()
  const alive = Buffer.from('\r\n\r\n'.repeat(16_384))
  t.same(framer.push(alive).map(String), [''], 'there is one answer to write for all of them')
  t.same(framer.push(Buffer.concat([alive, Buffer.from(message('')), alive])).map(String), ['', message(''), ''])
  const many = Buffer.from(message('').repeat(20_000))
  const begun = performance.now()
  t.equal(framer.push(many).length, 20_000)
  t.ok(performance.now() - begun < 5_000, 'it takes as long as they are')
  t.notOk(framer.partial)
})
