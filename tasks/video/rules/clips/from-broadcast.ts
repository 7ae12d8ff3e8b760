import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Chunk } from '#sql/live/chunks.ts'
import * as chunks from '#sql/live/chunks.ts'
import type { MediaEngine } from '../../engine.ts'
import { epochFile, fetchEpochs } from '../recorded.ts'
import { MediaFault } from '../transcode/media-fault.ts'
import type { ClipMeans, ClipParts } from './from-asset.ts'

/** Seconds that are loaded before the range, because chunks do not start with a key frame. */
const lead = 20

/** Downloads the chunks of a broadcast that contain a time range of its recording, as one file. */
export async function fetchFromBroadcast(
  broadcastId: string,
  { start, end }: { start: number; end: number },
  { media, ...means }: ClipMeans & { media: MediaEngine },
): Promise<ClipParts> {
  const { db, folder, storage, signal } = means
  const all = await chunks.list(db, broadcastId)
  const { wanted, from } = chunksWithin(all, start - lead, end)
  const [first] = wanted
  if (!first) throw new MediaFault('source_deleted', broadcastId)
  const head = all.find(({ epoch }) => epoch === first.epoch) as Chunk
  if (head.number !== first.number) {
    const init = readInit(await storage.readWhole(head.key, signal))
    await writeFile(join(folder, epochFile(first.epoch)), init)
  }
  const files = await fetchEpochs(wanted, folder, storage, signal)
  const [only = '', ...others] = files
  const path = others.length === 0 ? only : await media.join({ files, folder }, { signal })
  return { picture: path, sounds: [{ path }], start: start - from, end: end - from }
}

function chunksWithin(all: readonly Chunk[], start: number, end: number): { wanted: Chunk[]; from: number } {
  const wanted: Chunk[] = []
  let [at, from] = [0, 0]
  for (const chunk of all) {
    const next = at + chunk.duration_seconds
    if (next > start && at < end) {
      if (wanted.length === 0) from = at
      wanted.push(chunk)
    }
    at = next
  }
  return { wanted, from }
}

/** Returns the boxes before the first fragment: the initialisation segment. */
function readInit(chunk: Uint8Array): Uint8Array {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  for (let at = 0; at + 8 <= bytes.length; at += bytes.readUInt32BE(at)) {
    const size = bytes.readUInt32BE(at)
    if (size < 8) break
    if (bytes.toString('latin1', at + 4, at + 8) === 'moov') return chunk.subarray(0, at + size)
  }
  throw new MediaFault('corrupt', 'a chunk has no initialisation segment')
}
