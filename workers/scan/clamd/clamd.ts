import { chmod, chown, stat } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { ScannerUnavailableError } from '#tasks/files/engine.ts'
import { countActive } from '../../runtime/gauges.ts'
import type { Engine, Verdict } from '../verdict.ts'
import { type Address, isResponding, open } from './connection.ts'
import { Sessions, sendInstream } from './instream.ts'
import { ClamdConnection, NoResponseError } from './line.ts'

/**
 * Interval in milliseconds between checks that clamd is responding during a scan. A frozen clamd accepts bytes, or
 * none, without an error.
 */
const watchMs = 2_000

const tooLong: Verdict = { status: 'unscannable', signature: 'StreamMaxLength' }

/**
 * Creates the engine for a clamd. `maxBytes` is clamd's limit per file or stream. `idleMs` is the time in milliseconds
 * that an unused connection stays open.
 */
export function createClamd(address: Address, maxBytes: number, idleMs?: number): Engine {
  const sessions = new Sessions(address, idleMs)
  const ask = (say: (client: Socket) => unknown, signal: AbortSignal, about?: string) =>
    judged(address, signal, (ends) => askOnce(address, say, ends), about)
  return {
    async scan(bytes, size, signal) {
      if (size === 0) return { status: 'clean' }
      if (size !== null && size > maxBytes) return tooLong
      try {
        return await ask(sendInstream(upTo(maxBytes, bytes)), signal)
      } finally {
        bytes.destroy()
      }
    },
    async scanFile(file, size, signal) {
      if (size === 0) return { status: 'clean' }
      if (size > maxBytes) return tooLong
      // Another machine has other files.
      if (!('socket' in address)) return null
      await lend(file, address.socket)
      const path = resolve(file)
      const verdict = await ask((client) => client.write(`zSCAN ${path}\0`), signal, path)
      return verdict.status === 'error' ? null : verdict
    },
    async scanBytes(bytes, signal) {
      if (bytes.length === 0) return { status: 'clean' }
      if (bytes.length > maxBytes) return tooLong
      return await judged(address, signal, (ends) => sessions.ask(bytes, ends))
    },
  }
}

async function askOnce(address: Address, say: (client: Socket) => unknown, ends: AbortSignal): Promise<string> {
  const line = new ClamdConnection(open(address), false)
  try {
    return await line.ask(say, ends)
  } finally {
    line.close()
  }
}

/**
 * If clamd runs as another user, lets the group of clamd's socket read a file. Only root and members of that group can
 * do so. Other users give access to their own group, which can include clamd's user.
 */
async function lend(path: string, socket: string): Promise<void> {
  const owner = await stat(socket).catch(() => null)
  if (owner === null || owner.uid === process.getuid?.()) return
  const asItIs = -1
  await chown(path, asItIs, owner.gid).catch(() => {})
  await chmod(path, 0o640).catch(() => {})
}

async function judged(
  address: Address,
  signal: AbortSignal,
  ask: (ends: AbortSignal) => Promise<string>,
  about?: string,
): Promise<Verdict> {
  const ending = new AbortController()
  const watch = setInterval(async () => {
    if (!(await isResponding(address))) ending.abort(new ScannerUnavailableError('clamd stopped responding'))
  }, watchMs)
  try {
    const ends = AbortSignal.any([signal, ending.signal])
    const verdict = verdictOf(await countActive('clamd', () => ask(ends)), about)
    if (verdict.status === 'error') await explain(verdict.signature, address)
    return verdict
  } catch (error) {
    if (error instanceof TooLongError) return tooLong
    if (error instanceof NoResponseError) return await explain(error.message, address)
    throw error
  } finally {
    clearInterval(watch)
  }
}

class TooLongError extends Error {}

async function* upTo(maxBytes: number, bytes: Readable): AsyncGenerator<Buffer> {
  let sent = 0
  for await (const chunk of bytes) {
    sent += (chunk as Buffer).length
    if (sent > maxBytes) throw new TooLongError()
    yield chunk as Buffer
  }
}

/**
 * If a connection is lost together with its clamd, the file is not the cause. If a running clamd closed the connection,
 * the file may be the cause.
 */
async function explain(signature: string | undefined, address: Address): Promise<Verdict> {
  if (!(await isResponding(address))) throw new ScannerUnavailableError(`clamd is unavailable: ${signature}`)
  return { status: 'error', ...(signature !== undefined && { signature }) }
}

/** Matches names of findings that mean that clamd could not read the whole file (clamd.conf(5), Alert…). */
const unscannable = /^Heuristics\.(Limits\.|Encrypted\.)/

const suspicious = /^Heuristics\.(OLE2\.ContainsMacros|Broken\.|Structured\.)/

/**
 * Returns the verdict of clamd's response for a file or stream (clamd(8), SCAN and INSTREAM). Only an exact OK is
 * clean.
 */
function verdictOf(answer: string, about = 'stream'): Verdict {
  if (answer === `${about}: OK`) return { status: 'clean' }
  if (answer.startsWith(`${about}: `)) {
    const [, name] = /^([^\0]+) FOUND$/.exec(answer.slice(about.length + 2)) ?? []
    if (name !== undefined) return foundAs(name)
  }
  if (answer.includes('INSTREAM size limit exceeded')) return { status: 'unscannable', signature: 'StreamMaxLength' }
  return { status: 'error', signature: answer }
}

function foundAs(signature: string): Verdict {
  if (unscannable.test(signature)) return { status: 'unscannable', signature }
  if (suspicious.test(signature)) return { status: 'suspicious', signature }
  return { status: 'infected', signature }
}
