import { randomBytes } from 'node:crypto'
import { newId } from '#lib/ids.ts'
import { Storage } from '#lib/storage/storage.ts'
import * as orgs from '#sql/account/orgs.ts'
import { openPool, sql } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import type { DevFacts } from '../../../start/dev-facts.ts'

export interface StoredVideo {
  assetId: string
  packageId: string
  playlist: string
  segments: Record<string, Buffer>
}

const segmentName = (index: number) => `720p_${String(index).padStart(5, '0')}.m4s`

/** A few segments are enough, because the server does not cache them. */
const stored = 8

const playlist = [
  ...['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-TARGETDURATION:6', '#EXT-X-PLAYLIST-TYPE:VOD'],
  '#EXT-X-MAP:URI="720p_init.mp4"',
  ...Array.from({ length: 600 }, (_, i) => `#EXTINF:6.000000,\n${segmentName(i)}`),
  '#EXT-X-ENDLIST\n',
].join('\n')

/**
 * Adds a video to a running stack in the same way as the pipeline: rows in Postgres, and segments of `bytes` in
 * storage.
 */
export async function storeVideo({ database_url, s3 }: DevFacts, bytes: number): Promise<StoredVideo> {
  const storage = new Storage({
    endpoint: s3.endpoint,
    publicEndpoint: s3.endpoint,
    region: s3.region,
    bucket: s3.bucket,
    accessKey: s3.access_key,
    secretKey: s3.secret_key,
  })
  const [assetId, packageId] = [newId(), newId()]
  const segments = Object.fromEntries(
    Array.from({ length: stored }, (_, i) => [segmentName(i), randomBytes(bytes)] as const),
  )
  for (const [name, body] of Object.entries(segments)) {
    const key = `${playlists.packagePrefix(assetId, packageId)}${name}`
    await storage.put(key, body, { contentType: 'video/mp4' })
  }
  const db = await openPool(database_url, 1)
  try {
    const org = await orgs.findByName(db, 'dev')
    if (!org) throw new Error('The stack has no development organisation.')
    const facts = { title: 'bench', external_ref: null, filename: null, mime_type: null, watermark: null, bytes }
    await db.transaction(async (tx) => {
      await assets.insert(tx, { id: assetId, org_id: org.id, ...facts, profile: 'standard_vod' })
      await playlists.insertMany(tx, assetId, packageId, [{ name: '720p.m3u8', body: playlist }])
      await tx.query(sql.typeAlias('void')`
        update video.assets set status = 'ready', stage = 'ready', package_id = ${packageId} where id = ${assetId}`)
    })
  } finally {
    await db.end()
  }
  return { assetId, packageId, playlist, segments }
}
