import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'

const execute = promisify(execFile)

const timeoutMs = 60_000

export type Ffmpeg = (...args: string[]) => Promise<unknown>

export const ffmpegUntil =
  (signal: AbortSignal): Ffmpeg =>
  (...args) =>
    execute(config.FFMPEG_PATH, ['-nostdin', '-y', '-v', 'error', ...args], { signal })

/** Watches a stream like a player. Decodes every video frame to a digest. */
export const decode = (ffmpeg: Ffmpeg, url: string, frames: string, more: string[]): Promise<unknown> =>
  ffmpeg('-http_persistent', '0', '-xerror', '-i', url, ...more, '-map', '0:v:0', '-f', 'framehash', frames)

export async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

export async function pollUntil<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > end) throw new Error('An expected result of the tour did not arrive in time.')
    await pause(200)
  }
}
