import { simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { Envelope, Store } from './store.ts'
import { addressesOf, parsing } from './view.ts'

/** Maximum size of a message in bytes. It is larger than any email that is delivered. */
const mostBytes = 64 * 1024 ** 2

/**
 * Creates an SMTP server that accepts all email and forwards none. The server responds with 250 when the message is on
 * disk.
 */
export function createSink(store: Store, report: (error: Error) => void): SMTPServer {
  return new SMTPServer({
    name: 'mail-catcher',
    banner: 'Millrace catches all email and delivers none',
    size: mostBytes,
    rejectOversized: true,
    authOptional: true,
    // Accepts any user and password, because clients are often configured with credentials.
    onAuth: ({ username }, _, done) => done(null, { user: username ?? 'anybody' }),
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'],
    disableReverseLookup: true,
    maxClients: 500,
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        if (!stream.sizeExceeded) chunks.push(chunk)
      })
      stream.on('error', () => {})
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(null)
        keep(store, Buffer.concat(chunks), envelopeOf(session)).then(
          (id) => done(null, `Caught as ${id}`),
          (error: Error) => {
            report(error)
            done(Object.assign(new Error('Could not be stored'), { responseCode: 451 }))
          },
        )
      })
    },
  })
}

function envelopeOf({ envelope, hostNameAppearsAs, remoteAddress, secure }: SMTPServerSession): Envelope {
  return {
    mail_from: envelope.mailFrom ? envelope.mailFrom.address : '',
    rcpt_to: envelope.rcptTo.map(({ address }) => address),
    helo: hostNameAppearsAs,
    remote_address: remoteAddress,
    tls: secure,
  }
}

async function keep(store: Store, source: Buffer, envelope: Envelope): Promise<string> {
  const end = source.indexOf('\r\n\r\n')
  // Also stores a message whose header no library can parse, because such a message is worth inspecting.
  const head = await simpleParser(end < 0 ? source : source.subarray(0, end + 4), parsing).catch(() => undefined)
  const { id } = await store.add(source, {
    envelope,
    from: addressesOf(head?.from),
    to: addressesOf(head?.to),
    subject: head?.subject ?? '',
    message_id: head?.messageId?.replace(/^<|>$/g, '') ?? '',
  })
  return id
}
