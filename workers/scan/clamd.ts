import type { Duplex, Readable, Transform } from 'node:stream'
import { setImmediate as aTurn, setTimeout as pause } from 'node:timers/promises'
import NodeClam from 'clamscan'
import { ScannerAway } from '#tasks/files/scanner.ts'
import { atWork } from '../gauges.ts'
import { verdictOf } from './clamd-verdict.ts'
import { type Address, answers } from './connection.ts'
import type { Engine, Verdict } from './verdict.ts'

/** How often a scan asks whether clamd is still there, in milliseconds: a frozen one takes bytes, or none, in silence. */
const watchMs = 2_000

/** Longer than clamd's own limits let it be silent over one file, in milliseconds. */
const silenceMs = 15 * 60_000

/** Makes the engine on a clamd; `maxBytes` is what it takes at most of one stream. */
export async function createClamd(address: Address, maxBytes: number): Promise<Engine> {
  const reached = 'socket' in address ? { socket: address.socket, host: false, port: false } : address
  const clamd = await new NodeClam().init({
    clamscan: { active: false },
    clamdscan: { ...reached, timeout: silenceMs, localFallback: false, bypassTest: true },
    preference: 'clamdscan',
  })
  return {
    async scan(bytes, size, signal) {
      if (size === 0) return { status: 'clean' }
      if (size !== null && size > maxBytes) return tooLong
      return await atWork('clamd', () => stream(clamd.passthrough(), bytes, maxBytes, address, signal))
    },
  }
}

/** What the package keeps its connection under, and what it leads there. */
type Through = Transform & {
  _clamavSocket?: { destroy(): void }
  _forkStream?: Duplex
  _clamavTransform?: Duplex
}

/** How often it is asked whether all has been written to the connection: at each turn at first, which does for what is small, then after so many milliseconds. */
const turns = 50
const restMs = 2

/**
 * Ends the stream once all of it has been written to the connection: the package writes the end there past what it still holds
 * back, and clamd would then judge a file without its last bytes.
 */
async function endBehindAll(through: Through): Promise<void> {
  const held = () => {
    const { _forkStream: fork, _clamavTransform: frames } = through
    if (!fork || !frames) return 1
    return through.writableLength + both(fork) + both(frames)
  }
  for (let asked = 0; !through.destroyed && held() > 0; asked++) await (asked < turns ? aTurn() : pause(restMs))
  if (!through.destroyed) through.end()
}

const both = ({ writableLength, readableLength }: Duplex) => writableLength + readableLength

async function stream(
  through: Through,
  bytes: Readable,
  maxBytes: number,
  address: Address,
  signal: AbortSignal,
): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  let sent = 0
  const stop = () => reject(signal.reason)
  const watch = setInterval(async () => {
    if (!(await answers(address))) reject(new ScannerAway('clamd stopped answering'))
  }, watchMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  bytes.on('error', (error) => reject(new Broken('the source', { cause: error })))
  bytes.on('data', (chunk: Buffer) => {
    sent += chunk.length
    if (sent > maxBytes) reject(new TooLong())
  })
  // The package sends nothing for an empty stream and would wait for ever.
  bytes.on('end', () => (sent === 0 ? resolve(empty) : void endBehindAll(through).catch(reject)))
  through.on('scan-complete', resolve)
  through.on('error', resolve)
  through.on('timeout', () => reject(new ScannerAway('clamd took too long')))
  try {
    bytes.pipe(through, { end: false }).resume()
    const verdict = verdictOf(await promise)
    if (verdict.status === 'error') await explain(verdict, address)
    return verdict
  } catch (error) {
    if (error instanceof TooLong) return tooLong
    throw error instanceof Broken ? error.cause : error
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', stop)
    bytes.unpipe(through).destroy()
    through.destroy()
    through._clamavSocket?.destroy()
  }
}

const empty = { isInfected: false, timeout: false, resultString: 'stream: OK' }

const tooLong: Verdict = { status: 'unscannable', signature: 'StreamMaxLength' }

class TooLong extends Error {}

/** Carries an error of the source past those of clamd. */
class Broken extends Error {}

/** A connection that is lost with its clamd is nothing against the file; one that a living clamd cut may be. */
async function explain({ signature }: Verdict, address: Address): Promise<void> {
  if (!(await answers(address))) throw new ScannerAway(`clamd is away: ${signature}`)
}
