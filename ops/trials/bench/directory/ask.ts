/** Requests each list and several kinds of words from the directory and reports the response times. */
import { median } from '../benchmark.ts'
import { sendResult } from '../child.ts'

export interface AskSettings {
  port: number
  key: string
  requests: number
}

export interface AnswerTimes {
  what: string
  p50: number
  p99: number
}

const { port, key, requests } = JSON.parse(process.argv[2] ?? '{}') as AskSettings
const headers = { authorization: `Bearer ${key}` }

async function get(path: string): Promise<{ next_cursor: string | null; data: unknown[] }> {
  const reply = await fetch(`http://127.0.0.1:${port}/v1/streaming${path}`, { headers })
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return (await reply.json()) as { next_cursor: string | null; data: unknown[] }
}

/** Returns the URL of a page in a list, `pages` pages of a hundred rows after its start. */
async function deep(path: string, pages: number): Promise<string> {
  let cursor: string | null = null
  const at = () => `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor ? `&cursor=${cursor}` : ''}`
  for (let page = 0; page < pages; page++) cursor = (await get(at())).next_cursor
  return at().replace('limit=100', 'limit=20')
}

const [far, farSearch] = [await deep('/videos', 9), await deep('/search?q=railway', 3)]
const rotation =
  <T>(of: readonly T[]) =>
  (i: number) =>
    of[i % of.length] as T
const rare = rotation(['rare 17', '"rare 4711"', 'rare 99 railway', 'zeppelin 123'])
const common = rotation(['railway', 'history', 'the', 'history of the railway', 'bridge or tunnel'])
const slips = rotation(['raliway', 'histroy of brigdes', 'tunel', 'zepelin'])
const kinds: Record<string, (i: number) => string> = {
  videos: () => '/videos',
  'videos, far down': () => far,
  shorts: () => '/shorts',
  channels: () => '/channels',
  'the videos of a channel': (i) => `/channels/channel-${i % 1000}/videos`,
  'live streams': () => '/live',
  'search, rare words': (i) => `/search?q=${encodeURIComponent(rare(i))}`,
  'search, common words': (i) => `/search?q=${encodeURIComponent(common(i))}`,
  'search, common words by date': (i) => `/search?q=${encodeURIComponent(common(i))}&sort=-published_at`,
  'search, far down': () => farSearch,
  'search, slips': (i) => `/search?q=${encodeURIComponent(slips(i))}`,
  'search in a channel': (i) => `/search?q=railway&channel=channel-${i % 1000}`,
}

const asked: AnswerTimes[] = []
for (const [what, path] of Object.entries(kinds)) {
  const times: number[] = []
  for (let i = -20; i < requests; i++) {
    const begun = performance.now()
    await get(path(i + 20))
    if (i >= 0) times.push(performance.now() - begun)
  }
  times.sort((a, b) => a - b)
  asked.push({ what, p50: median(times), p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN })
}
sendResult(asked)
