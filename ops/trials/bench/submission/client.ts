import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { connect } from 'node:tls'

export interface SubmissionClient {
  send(from: string, to: string, mail: string): Promise<void>
  close(): void
}

/** Opens a connection with TLS and signs in. It waits for each reply, as most clients do. */
export async function openClient(port: number, key: string): Promise<SubmissionClient> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.setNoDelay(true)
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const hear = async (wanted: number): Promise<void> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('The server closed the connection.')
      if (!/^\d{3} /.test(value)) continue
      if (!value.startsWith(String(wanted))) throw new Error(value)
      return
    }
  }
  const say = async (line: string, wanted: number) => {
    socket.write(`${line}\r\n`)
    await hear(wanted)
  }
  await hear(220)
  await say('EHLO bench.example', 250)
  await say(`AUTH PLAIN ${Buffer.from(`\0bench\0${key}`).toString('base64')}`, 235)
  return {
    async send(from, to, mail) {
      await say(`MAIL FROM:<${from}>`, 250)
      await say(`RCPT TO:<${to}>`, 250)
      await say('DATA', 354)
      await say(`${mail.replaceAll(/^\./gm, '..')}\r\n.`, 250)
    },
    close: () => socket.destroy(),
  }
}
