import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { LiveStats } from './channel.ts'
import type { Listing } from './listing.ts'
import { type ListedPlaylist, masterPlaylist, mediaPlaylist, renderMaster, renderMedia } from './playlist.ts'
import { renditionPlaylist } from './renditions.ts'
import { isAvailable, isTooFar, longestBlock, readDirectives } from './requests.ts'
import type { SegmentFolder } from './segment-folder.ts'
import type { Timeline } from './timeline.ts'

interface Served {
  timeline: Timeline
  folder: SegmentFolder
  rendered: Map<string, { version: number; body: Promise<Buffer> }>
}

export interface HlsChannel {
  listing: Listing
  stats(): LiveStats
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  query: URLSearchParams
  signal: AbortSignal
}

const compress = promisify(gzip)
const playlistType = 'application/vnd.apple.mpegurl'

/** Names are unique, so caches can keep these files as long as they like. */
const forGood = 'public, max-age=3600, immutable'

function refuse(response: ServerResponse, status: number, reason: string): void {
  const caching = status === 404 ? { 'cache-control': 'max-age=1' } : { 'cache-control': 'no-store' }
  response.writeHead(status, { 'content-type': 'text/plain', ...caching }).end(`${reason}\n`)
}

function playlistBody(
  { timeline, rendered }: Served,
  others: readonly ListedPlaylist[],
  form: { skip: boolean; zipped: boolean },
): Promise<Buffer> {
  const { skip, zipped } = form
  const name = `${skip}/${zipped}`
  const known = rendered.get(name)
  if (known?.version === timeline.version) return known.body
  const text = Buffer.from(renderMedia(timeline, skip, others))
  const body = zipped ? compress(text, { level: 4 }) : Promise.resolve(text)
  rendered.set(name, { version: timeline.version, body })
  return body
}

async function sendMedia(
  served: Served,
  others: readonly ListedPlaylist[],
  { request, response, query, signal }: Exchange,
): Promise<void> {
  const { timeline } = served
  const directives = readDirectives(query)
  if (!directives)
    return refuse(response, 400, '_HLS_msn and _HLS_part must be whole numbers, and _HLS_part requires _HLS_msn.')
  if (isTooFar(timeline, directives)) return refuse(response, 400, 'The requested part is too far ahead.')
  const isSo = () => timeline.watchable && isAvailable(timeline, directives)
  if (!(await timeline.until(isSo, longestBlock, signal)))
    return refuse(response, 503, 'The requested part is not available yet.')
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  const body = await playlistBody(served, others, { skip: directives.skip, zipped })
  response.writeHead(200, {
    'content-type': playlistType,
    'content-length': body.length,
    vary: 'accept-encoding',
    ...(zipped ? { 'content-encoding': 'gzip' } : {}),
    // The segments in the response to a blocked request stay correct for their duration (RFC 8216bis, B.1 of
    // low-latency delivery).
    'cache-control': directives.msn === undefined ? 'no-cache' : 'public, max-age=1',
  })
  response.end(body)
}

async function sendMaster({ listing: { timeline }, stats }: HlsChannel, { response, signal }: Exchange): Promise<void> {
  const isSo = () => timeline.watchable
  if (!(await timeline.until(isSo, longestBlock, signal))) return refuse(response, 503, 'No part is available yet.')
  response.writeHead(200, { 'content-type': playlistType, 'cache-control': 'no-cache' }).end(renderMaster(stats()))
}

/** Sends a part. If the part is the hinted one, waits for it (6.2.6). */
async function sendPart({ timeline }: Served, name: string, { response, signal }: Exchange): Promise<void> {
  const find = () => timeline.segments.flatMap(({ parts }) => parts).find((part) => part.name === name)
  if (timeline.nextPart === name && !timeline.ended) {
    const isOver = () => timeline.nextPart !== name || timeline.ended
    await timeline.until(isOver, longestBlock, signal)
  }
  sendBytes(response, find()?.data)
}

function sendBytes(response: ServerResponse, data: Buffer | undefined): void {
  const headers = { 'content-type': 'video/mp4', 'cache-control': forGood }
  if (data) response.writeHead(200, { ...headers, 'content-length': data.length }).end(data)
  else refuse(response, 404, 'The file does not exist.')
}

async function sendSegment({ timeline, folder }: Served, name: string, { response }: Exchange): Promise<void> {
  const segment = [...timeline.segments, ...timeline.past].find((one) => one.name === name && one.done)
  const data = segment?.parts.flatMap((part) => part.data ?? []) ?? []
  if (segment && data.length > 0 && data.length === segment.parts.length)
    return sendBytes(response, Buffer.concat(data))
  const file = segment && (await folder.read(name))
  if (!file) return refuse(response, 404, 'The segment does not exist.')
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': file.size, 'cache-control': forGood })
  await pipeline(file.stream, response)
}

function playlistsOf({ listing, stats }: HlsChannel): Map<string, Served> {
  const heights = new Set<number>(stats().renditions.map(({ height }) => height))
  const shown = listing.renditions.filter(({ height, isMade }) => isMade || heights.has(height))
  return new Map<string, Served>([
    [mediaPlaylist, listing],
    ...shown.map((one): [string, Served] => [renditionPlaylist(one.height), one]),
  ])
}

export async function serveFile(channel: HlsChannel, name: string, exchange: Exchange): Promise<void> {
  const { response } = exchange
  if (name === masterPlaylist) return await sendMaster(channel, exchange)
  const playlists = playlistsOf(channel)
  const listed = playlists.get(name)
  if (listed) {
    const others = [...playlists].flatMap(([uri, one]) => (one === listed ? [] : [{ uri, timeline: one.timeline }]))
    return await sendMedia(listed, others, exchange)
  }
  const served =
    [...playlists.values()].find(({ timeline }) => name.startsWith(`${timeline.prefix}-`)) ?? channel.listing
  if (/-i\d+\.mp4$/.test(name)) return sendBytes(response, served.timeline.initNamed(name)?.data)
  if (/-p\d+\.m4s$/.test(name)) return await sendPart(served, name, exchange)
  if (/-s\d+\.m4s$/.test(name)) return await sendSegment(served, name, exchange)
  refuse(response, 404, 'The file does not exist.')
}
