import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { watchedGauge } from '#lib/telemetry/metrics.ts'
import { framesFile } from '#tasks/live/rules/frames-file.ts'
import { isValidOriginToken } from '#tasks/live/rules/origin-token.ts'
import type { ChannelOptions, LiveChannel, LiveOrigin, LiveOriginOptions } from './channel.ts'
import { Listing } from './listing.ts'
import { Publication } from './publication.ts'
import { SegmentFolder } from './segment-folder.ts'
import { type HlsChannel, serveFile } from './serve.ts'
import { Slate } from './slate.ts'
import { SlateClips } from './slate-clips.ts'
import { Timeline } from './timeline.ts'

const blocked = watchedGauge(
  'millrace_live_blocked_requests',
  'Requests that are waiting at this worker for a future part. An ingress process sends one for all of its viewers.',
  [],
)

/** Time in milliseconds that viewers can watch the end of a broadcast. */
const afterEnd = 60_000

interface Channel extends HlsChannel {
  publication: Publication
  slate: Slate | undefined
  runs: number
  viewers: Map<string, { count: number; at: number }>
  timer?: NodeJS.Timeout
}

/** Starts the origin of a worker, which serves its channels as low-latency HLS (RFC 8216bis). */
export async function createLiveOrigin(options: LiveOriginOptions): Promise<LiveOrigin> {
  const { folder, secret, host = '127.0.0.1', partMs = 200, lingerSeconds = 30, ffmpeg = 'ffmpeg' } = options
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const channels = new Map<string, Channel>()
  const clips = new SlateClips(ffmpeg)

  function drop(id: string, channel: Channel): void {
    clearTimeout(channel.timer)
    if (channels.get(id) === channel) channels.delete(id)
    void channel.listing
      .remove()
      .catch((error) => log.warn({ err: describe(error) }, 'the folder of a live channel could not be deleted'))
  }

  function end(id: string, channel: Channel): void {
    clearTimeout(channel.timer)
    channel.slate?.end()
    channel.listing.end()
    channel.timer = setTimeout(() => drop(id, channel), afterEnd)
  }

  /** If a publisher returns in time, the playlists of the channel continue. */
  function openChannel(wish: ChannelOptions): Omit<Channel, 'publication'> {
    const { channelId, dvrSeconds, takeovers = 0, renditions = [] } = wish
    const known = channels.get(channelId)
    if (known && !known.listing.timeline.ended) {
      clearTimeout(known.timer)
      return known
    }
    if (known) drop(channelId, known)
    // All playlists start with the same numbers.
    const now = Date.now()
    const open = () => {
      const segments = new SegmentFolder(join(folder, channelId, newId()))
      return { timeline: new Timeline({ dvrSeconds, takeovers, isKept: segments.has }, now), folder: segments }
    }
    const listing = new Listing(
      open(),
      renditions.map((height) => ({ height, playlist: open() })),
    )
    const slate = wish.slate ? new Slate(listing, clips, partMs) : undefined
    return { listing, slate, runs: 0, viewers: new Map(), stats: noStats }
  }

  function startChannel(wish: ChannelOptions): LiveChannel {
    const { channelId } = wish
    const before = channels.get(channelId)?.publication
    const channel = openChannel(wish) as Channel
    const { listing, slate } = channel
    const { timeline } = listing
    const nextRun = () => channel.runs++
    void before?.stop()
    const publication = new Publication(wish, { listing, slate, ffmpeg, partMs, nextRun })
    const stats = () => publication.stats.read(countViewers(channel.viewers))
    Object.assign(channel, { publication, stats })
    channels.set(channelId, channel)
    const linger = () => {
      if (channel.publication !== publication || timeline.ended) return
      slate?.begin()
      clearTimeout(channel.timer)
      channel.timer = setTimeout(() => end(channelId, channel), 1000 * lingerSeconds)
    }
    void publication.done.then(linger)
    return {
      stats,
      async stop({ ended = false } = {}) {
        await publication.stop()
        if (ended && channel.publication === publication && !timeline.ended) end(channelId, channel)
      },
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://origin')
    const [, id = '', file = '', ...more] = url.pathname.split('/')
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const isOpen = Id.safeParse(id).success && more.length === 0 && isValidOriginToken(token, id, secret)
    if (!isOpen) return void response.writeHead(403).end()
    const channel = channels.get(id)
    if (!channel) return void response.writeHead(404, { 'x-live': 'none' }).end()
    if (file === framesFile) return sendFrames(channel.publication, response)
    noteViewers(channel.viewers, String(request.headers['x-viewers'] ?? ''))
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    await serveFile(channel, file, { request, response, query: url.searchParams, signal: gone.signal })
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    answer(request, response).catch((error) => {
      log.warn({ err: describe(error) }, 'a request to the live origin failed')
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    })
  })
  server.listen(options.port ?? 0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const unwatch = blocked.watch(() => [
    { labels: {}, value: [...channels.values()].reduce((sum, { listing }) => sum + listing.waiting, 0) },
  ])

  return {
    url: options.publicUrl ?? `http://${host}:${port}`,
    startChannel,
    async close() {
      unwatch()
      await Promise.all([...channels.values()].map(({ publication }) => publication.stop()))
      for (const { timer, slate } of channels.values()) {
        clearTimeout(timer)
        slate?.end()
      }
      clips.close()
      server.close()
      server.closeAllConnections()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function sendFrames({ taps, stats }: Publication, response: ServerResponse): void {
  const refused = taps.whyNot(stats.isReordered)
  if (refused) response.writeHead(refused.status, { 'x-live': refused.reason }).end()
  else taps.join(response)
}

/** Time to live in milliseconds of a viewer count from an ingress process. */
const toldMs = 15_000

/** Records the number of viewers. Each ingress process sends one request for many viewers and reports their number. */
function noteViewers(viewers: Channel['viewers'], told: string): void {
  const [, name, count] = /^([\w-]{1,64}) (\d{1,9})$/.exec(told) ?? []
  if (name) viewers.set(name, { count: Number(count), at: Date.now() })
}

function countViewers(viewers: Channel['viewers']): number {
  for (const [name, { at }] of viewers) if (at < Date.now() - toldMs) viewers.delete(name)
  return [...viewers.values()].reduce((sum, { count }) => sum + count, 0)
}

const noStats = (): never => {
  throw new Error('The channel has no publication yet.')
}
