import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { z } from 'zod'
import { OutboundError } from '#lib/network/address-guard.ts'
import type { Batch, OpenTarget, SendResult } from '#tasks/account/rules/streams/engine.ts'
import { syslogRules } from '#tasks/account/rules/streams/target-address.ts'
import { dialTls } from './dial-tls.ts'
import { toFailure } from './post.ts'
import { toSyslogFrame } from './syslog-message.ts'

const Settings = z.object({
  host: z.string(),
  port: z.number(),
  app_name: z.string(),
  facility: z.number(),
  ca_certificate: z.string().nullable(),
})

/** Timeout of a batch in milliseconds, including the connection and its end. */
const batchMs = 15_000

/**
 * Sends a batch on one connection. Syslog has no confirmation, so the connection is ended after the batch: the server ends
 * its side after it has read everything. If the connection breaks before, the batch is sent again.
 */
export async function sendToSyslog(
  { settings }: OpenTarget,
  { records }: Batch,
  isLocal: boolean,
  stopped: AbortSignal,
): Promise<SendResult> {
  const { host, port, app_name: appName, facility, ca_certificate: ca } = Settings.parse(settings)
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(batchMs)])
  let socket: Socket | undefined
  try {
    socket = await dialTls({ host, port, ca }, syslogRules(port, isLocal), signal)
    await writeAll(
      socket as TLSSocket,
      records.map((record) => toSyslogFrame(record, { facility, appName })).join(''),
      signal,
    )
    return { outcome: 'accepted', status: null, error: null, answer: null, dropped: 0 }
  } catch (error) {
    stopped.throwIfAborted()
    if (signal.aborted)
      return toFailure(new OutboundError('timed_out', `The server did not read the batch within ${batchMs} ms.`))
    return toFailure(error instanceof OutboundError ? error : toOutboundError(error))
  } finally {
    socket?.destroy()
  }
}

const toOutboundError = (error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException
  return new OutboundError('connection_failed', `The connection failed: ${code ?? message}.`, error)
}

/** Writes the text, ends the connection, and waits until the server ends its side. */
async function writeAll(socket: TLSSocket, text: string, signal: AbortSignal): Promise<void> {
  const ended = once(socket, 'end', { signal })
  // Data from the server is dropped, so that the end of the connection arrives.
  socket.resume()
  socket.end(text)
  await ended
  if (!socket.writableFinished)
    throw new OutboundError('connection_failed', 'The server ended the connection before it received all records.')
}
