import { setTimeout as pause } from 'node:timers/promises'

export interface Viewer {
  parts(): number
  /**
   * Returns the longest time in milliseconds between parts since the last call, including the time since the last part.
   */
  takeGap(): number
  /** Unexpected responses after the first parts. */
  readonly refusals: string[]
  stop(): Promise<void>
}

/**
 * Timeout in milliseconds after which a request is repeated. A blocked part normally arrives in a fifth of a second.
 */
const timeoutMs = 20_000

/** Requests the playlist of a channel repeatedly, each time waiting for the next part, and fetches that part. */
export function watchChannel(hlsUrl: string): Viewer {
  const over = new AbortController()
  const refusals: string[] = []
  let [parts, longest, lastAt] = [0, 0, 0]

  async function get(file: string): Promise<string | undefined> {
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(timeoutMs)])
    const answer = await fetch(hlsUrl.replace('index.m3u8', file), { signal })
    const text = await answer.text()
    if (answer.ok) return text
    if (parts > 0) refusals.push(`${answer.status} for ${file.split('?')[0]}`)
    return undefined
  }

  async function next(text: string | undefined): Promise<string | undefined> {
    const playlist = await get(text === undefined ? 'live.m3u8' : `live.m3u8?${nextOf(text)}`)
    const part = playlist?.match(/^#EXT-X-PART:.*URI="([^"]+)"/gm)?.at(-1)
    const uri = /URI="([^"]+)"/.exec(part ?? '')?.[1]
    if (uri === undefined || (await get(uri)) === undefined) return undefined
    const now = performance.now()
    if (parts > 0) longest = Math.max(longest, now - lastAt)
    parts++
    lastAt = now
    return playlist
  }

  async function run(): Promise<void> {
    let text: string | undefined
    while (!over.signal.aborted) {
      text = await next(text).catch((error: Error) => {
        if (!over.signal.aborted && parts > 0) refusals.push(error.message)
        return undefined
      })
      if (text === undefined) await pause(200)
    }
  }

  const running = run()
  return {
    refusals,
    parts: () => parts,
    takeGap() {
      const now = performance.now()
      const gap = Math.max(longest, now - lastAt)
      longest = 0
      return gap
    },
    async stop() {
      over.abort()
      await running
    },
  }
}

function nextOf(text: string): string {
  const [, first = '0'] = /#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text) ?? []
  const segments = text.match(/#EXTINF/g)?.length ?? 0
  const parts = text.slice(Math.max(0, text.lastIndexOf('#EXTINF'))).match(/#EXT-X-PART:/g)?.length ?? 0
  return `_HLS_msn=${Number(first) + segments}&_HLS_part=${parts}`
}
