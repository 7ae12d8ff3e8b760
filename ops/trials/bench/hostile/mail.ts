import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

export async function sendEmail(port: number, to: string, mail: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const hear = async () => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) return 'closed'
      if (/^\d{3} /.test(value)) return value as string
    }
  }
  try {
    let reply = await hear()
    const text = mail.replaceAll(/\r?\n/g, '\r\n').replaceAll(/^\./gm, '..')
    for (const line of ['EHLO bench.example', 'MAIL FROM:<>', `RCPT TO:<${to}>`, 'DATA', `${text}\r\n.`]) {
      if (!/^[23]/.test(reply)) return reply
      socket.write(`${line}\r\n`)
      reply = await hear()
    }
    return reply
  } finally {
    socket.destroy()
  }
}
