import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'video',
  'playlists',
  z.object({ package_id: Id, asset_id: Id, name: z.string(), body: z.string() }),
)

export const assetPrefix = (assetId: string) => `video/packages/${assetId}/`

export const packagePrefix = (assetId: string, packageId: string) => `${assetPrefix(assetId)}${packageId}/`

export async function insertMany(
  tx: Db,
  assetId: string,
  packageId: string,
  playlists: { name: string; body: string }[],
): Promise<void> {
  const rows = playlists.map(({ name, body }) => ({ package_id: packageId, asset_id: assetId, name, body }))
  await tx.query(sql.typeAlias('void')`${table.insertMany(rows)}`)
}

export async function find(db: Db, assetId: string, packageId: string, name: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ body: z.string() }))`
    select body from video.playlists where package_id = ${packageId} and name = ${name} and asset_id = ${assetId}`)
}

export async function hasPackage(db: Db, assetId: string, packageId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ one: z.number() }))`
    select 1 as one from video.playlists where package_id = ${packageId} and asset_id = ${assetId}`)
}

/** Returns packages of an asset that are no longer served. */
export async function listRetired(db: Db, assetId: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ package_id: Id }))`
    select distinct p.package_id from video.playlists as p join video.assets as a on a.id = p.asset_id
    where p.asset_id = ${assetId} and p.package_id is distinct from a.package_id`)
}

export async function deletePackage(tx: Db, packageId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from video.playlists where package_id = ${packageId}`)
  await tx.query(sql.typeAlias('void')`delete from video.renditions where package_id = ${packageId}`)
}

/** Deletes one track of a package. */
export async function deleteTrack(
  tx: Db,
  { packageId, rendition, playlist }: { packageId: string; rendition: string; playlist: string },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from video.playlists where package_id = ${packageId} and name = ${playlist}`)
  await tx.query(sql.typeAlias('void')`
    delete from video.renditions where package_id = ${packageId} and name = ${rendition}`)
}
