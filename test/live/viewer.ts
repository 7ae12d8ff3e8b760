import { setTimeout as pause } from 'node:timers/promises'
import { parseMedia } from './hls-rules.ts'

/** One who watches a channel, with blocking reloads of its playlist. */
export interface Viewer {
  /** Milliseconds between two parts at most, so far. */
  longestGap(): number
  /** Parts that came. */
  parts(): number
  /** What was answered otherwise than with what was asked for. */
  readonly refusals: string[]
  stop(): Promise<void>
}

/** Watches a channel from its edge on: asks for each next part as players of low-latency HLS do, and fetches it. */
export function watch(hlsUrl: string): Viewer {
  const refusals: string[] = []
  const ended = new AbortController()
  let [parts, longest, lastAt] = [0, 0, 0]

  async function get(file: string): Promise<string | undefined> {
    const answer = await fetch(hlsUrl.replace('index.m3u8', file), { signal: ended.signal })
    const text = await answer.text()
    if (answer.status === 200) return text
    refusals.push(`${file}: ${answer.status} ${text.slice(0, 200)}`)
    return undefined
  }

  async function run(): Promise<void> {
    let known = new Set<string>()
    let ask = ''
    while (!ended.signal.aborted) {
      const text = await get(`live.m3u8${ask}`)
      // Players begin again.
      if (!text) {
        ask = ''
        await pause(200)
        continue
      }
      const { segments, growing } = parseMedia(text)
      const listed = [...segments, growing].flatMap((segment) => segment.parts.map(({ uri }) => uri))
      for (const uri of listed.filter((one) => parts > 0 && !known.has(one))) await get(uri)
      const now = performance.now()
      if (parts > 0) longest = Math.max(longest, now - lastAt)
      ;[parts, lastAt, known] = [parts + 1, now, new Set(listed)]
      ask = `?_HLS_msn=${growing.msn}&_HLS_part=${growing.parts.length}`
    }
  }

  const running = run().catch((error: Error) => {
    if (!ended.signal.aborted) refusals.push(error.message)
  })
  return {
    refusals,
    parts: () => parts,
    longestGap: () => Math.max(longest, parts > 0 ? performance.now() - lastAt : 0),
    async stop() {
      ended.abort()
      await running
    },
  }
}
