import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import type { Scope } from './postgres.ts'
import { until } from './until.ts'

export interface Mail {
  from: string
  to: string
  raw: Buffer
  /** Greeting and IP address of the sender. */
  helo: string
  remoteAddress: string
  secure: boolean
}

export interface Sink {
  port: number
  mails: Mail[]
  sessions: number
  /** Closes all connections. */
  drop(): void
  mailTo(address: string): Promise<Mail>
}

/** Behaviour of a sink. A text such as `550 5.1.1 …` rejects. */
export interface Behaviour
  extends Pick<SMTPServerOptions, 'hideSTARTTLS' | 'onConnect' | 'size' | 'minVersion' | 'maxVersion' | 'ciphers'> {
  onRcpt?(to: string, session: SMTPServerSession): string | undefined
  /** Called for a complete message. Returns the reply, or a promise that can stay pending. */
  onMail?(mail: Mail, session: SMTPServerSession): string | undefined | Promise<string | undefined>
}

export async function startSink(t: Scope, address: string, port: number, behaviour: Behaviour = {}): Promise<Sink> {
  const { onRcpt, onMail, ...options } = behaviour
  const mails: Mail[] = []
  const sink: Sink = { port, mails, sessions: 0, mailTo: undefined as never, drop: undefined as never }
  const refuse = (text: string) => Object.assign(new Error(text.slice(4)), { responseCode: Number(text.slice(0, 3)) })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH'],
    disableReverseLookup: true,
    closeTimeout: 10,
    logger: false,
    ...options,
    onConnect(session, done) {
      sink.sessions++
      if (options.onConnect) options.onConnect(session, done)
      else done()
    },
    onRcptTo({ address: to }, session, done) {
      const refusal = onRcpt?.(to, session)
      done(refusal ? refuse(refusal) : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const { mailFrom, rcptTo } = session.envelope
        const mail: Mail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo[0]?.address ?? '',
          raw: Buffer.concat(chunks),
          helo: String(session.hostNameAppearsAs),
          remoteAddress: session.remoteAddress,
          secure: session.secure,
        }
        const refusal = await onMail?.(mail, session)
        if (refusal === undefined) mails.push(mail)
        done(refusal ? refuse(refusal) : null)
      })
    },
  })
  server.on('error', () => {})
  server.listen(port, address)
  await once(server.server, 'listening')
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())))
  sink.drop = () => {
    for (const connection of server.connections as Set<{ _socket: { destroy(): void } }>) connection._socket.destroy()
  }
  sink.port = (server.server.address() as AddressInfo).port
  sink.mailTo = (to) => until(() => mails.find((mail) => mail.to === to), { what: `mail to ${to} arrives` })
  return sink
}
