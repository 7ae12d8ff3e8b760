import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Scope } from '../support/postgres.ts'

/** A client that says what a test has it say. */
export interface SmtpClient {
  socket: Socket
  /** Sends a line; returns the reply, all its lines, or `closed`. */
  say(line: string): Promise<string>
  /** The next reply. */
  hear(): Promise<string>
}

/** Connects and hears the greeting; ends with the test. */
export async function dial(
  t: Scope,
  port: number,
  localAddress = '127.0.0.1',
): Promise<{ greeting: string; client: SmtpClient }> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  t.teardown(async () => void socket.destroy())
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const hear = async () => {
    let reply = ''
    for (;;) {
      const { value, done } = await lines.next()
      if (done) return reply || 'closed'
      reply += `${value}\n`
      if (/^\d{3} /.test(value)) return reply.trimEnd()
    }
  }
  const client = {
    socket,
    hear,
    async say(line: string) {
      socket.write(`${line}\r\n`)
      return await hear()
    },
  }
  await once(socket, 'connect').catch(() => {})
  return { greeting: await hear(), client }
}

/** Hands a mail over in a connection of its own; returns the reply that decided. */
export async function send(t: Scope, port: number, from: string, to: string, message: string): Promise<string> {
  const { greeting, client } = await dial(t, port)
  try {
    return greeting.startsWith('220') ? await handOver(client, from, to, message) : greeting
  } finally {
    client.socket.end('QUIT\r\n')
  }
}

async function handOver(client: SmtpClient, from: string, to: string, message: string): Promise<string> {
  await client.say('EHLO mx.rcpt.example')
  for (const line of [`MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA']) {
    const reply = await client.say(line)
    if (!/^[23]/.test(reply)) return reply
  }
  client.socket.write(message.replaceAll(/\r?\n/g, '\r\n').replaceAll(/^\./gm, '..'))
  return await client.say('\r\n.')
}
