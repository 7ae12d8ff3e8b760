import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** A stream of a master playlist according to ffprobe. */
export interface Stream {
  kind: 'video' | 'audio'
  width: number
  height: number
  packets: number
  start: number
}

// ffmpeg 5 would reuse a connection across the redirect to the store on another host.
const input = (url: string) => ['-v', 'error', '-http_persistent', '0', '-i', url]

/** Reads every packet of every variant of a master playlist, like another player. */
export async function readStreams(url: string): Promise<Stream[]> {
  const entries = 'stream=codec_type,width,height,nb_read_packets,start_time'
  const args = [...input(url), '-count_packets', '-show_entries', entries, '-of', 'json']
  const { stdout } = await execute('ffprobe', args, { timeout: 60_000 })
  const { streams } = JSON.parse(stdout) as { streams: Record<string, string | number>[] }
  return streams.map((stream) => ({
    kind: stream.codec_type === 'audio' ? 'audio' : 'video',
    width: Number(stream.width ?? 0),
    height: Number(stream.height ?? 0),
    packets: Number(stream.nb_read_packets),
    start: Number(stream.start_time),
  }))
}

export async function frameCounts(url: string): Promise<number[]> {
  return (await readStreams(url)).filter(({ kind }) => kind === 'video').map(({ packets }) => packets)
}

/** Returns ffmpeg’s errors while it decodes all variants. It stops at the first error. */
export async function decodeErrors(url: string): Promise<string> {
  const args = ['-nostdin', '-xerror', ...input(url), '-map', '0', '-f', 'null', '-']
  const run = await execute('ffmpeg', args, { timeout: 60_000 }).catch((error: { stderr: string }) => error)
  return run.stderr
}

export interface MediaPlaylist {
  url: string
  text: string
  segments: string[]
  /** Duration of each segment in seconds, as text. */
  lengths: string[]
}

/** Fetches a playlist as text. Throws an error with the status if it does not exist. */
export async function fetchText(url: string): Promise<string> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return await answer.text()
}

/** Returns the absolute URLs of a master playlist’s playlists, variants first. */
export async function playlistsOf(masterUrl: string): Promise<string[]> {
  const master = await fetchText(masterUrl)
  const variants = master.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const others = [...master.matchAll(/URI="([^"]+)"/g)].map(([, uri]) => uri as string)
  return [...variants, ...others].map((uri) => new URL(uri, masterUrl).href)
}

export async function mediaPlaylist(url: string): Promise<MediaPlaylist> {
  const text = await fetchText(url)
  const segments = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const lengths = [...text.matchAll(/^#EXTINF:([\d.]+)/gm)].map(([, seconds]) => seconds as string)
  return { url, text, segments: segments.map((uri) => new URL(uri, url).href), lengths }
}
