import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'
import { CaptionSource, CaptionTrack } from './caption-track.ts'

export const State = z.enum(['queued', 'processing', 'ready', 'failed'])

export const table = defineTable(
  'video',
  'captions',
  z.object({
    id: Id,
    org_id: Id,
    asset_id: Id,
    language: z.string(),
    state: State,
    failure_summary: z.string().nullable(),
    engine: z.string().nullable(),
    detects: z.boolean(),
    source: CaptionSource,
    name: z.string().nullable(),
    is_default: z.boolean(),
    revision: z.int(),
    cues: z.int().nullable(),
    body: z.string().nullable(),
  }),
)

const CaptionsColumns = table.Row.omit({ org_id: true, body: true })

/**
 * Captions of an asset in one language. `heard` is the number of transcribed seconds. The language is `auto` until the
 * engine has detected it.
 */
export const Captions = CaptionsColumns.extend({ heard: z.number() })

export type Captions = z.infer<typeof Captions>

const heard = sql.fragment`(select coalesce(max(to_seconds), 0) from video.caption_pieces where captions_id = c.id) as heard`
const columns = sql.fragment`${getColumns(CaptionsColumns, 'c')}, ${heard}`

export const captionsPrefix = (assetId: string) => `video/captions/${assetId}/`

export const captionsKey = (assetId: string, language: string) => `${captionsPrefix(assetId)}${language}.vtt`

/** Value of `language` until the engine has detected it. */
const undetected = 'auto'

/**
 * Creates captions or restarts failed captions. Returns their ID, or `null` if they exist or are in progress. The row
 * lock makes this safe for concurrent requests. An asset has up to one track with a detected language.
 */
export async function request(
  tx: Db,
  captions: {
    id: string
    org_id: string
    asset_id: string
    language: string
    name?: string | null
    is_default?: boolean
  },
): Promise<string | null> {
  const detects = captions.language === undetected
  const same = detects ? sql.fragment`(asset_id) where detects` : sql.fragment`(asset_id, language)`
  return await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    ${table.insert({ ...captions, detects })}
    on conflict ${same} do update set state = 'queued', failure_code = null, failure_summary = null
    where captions.state = 'failed'
    returning id`)
}

/** Returns the captions in a language. `auto` names the track whose language was detected, even when it is known. */
export async function find(db: Db, orgId: string, assetId: string, language: string): Promise<Captions | null> {
  return await db.maybeOne(sql.type(Captions)`
    select ${columns} from video.captions as c join video.assets as a on a.id = c.asset_id
    where c.asset_id = ${assetId} and c.org_id = ${orgId} and a.status <> 'deleted'
      and ${language === undetected ? sql.fragment`c.detects` : sql.fragment`c.language = ${language}`}`)
}

/**
 * Stores the language that the engine has detected. Returns false if the asset already has captions in this language.
 * Failed transcriptions in this language are replaced.
 */
export async function setDetected(tx: Db, { id, asset_id }: Work, language: string): Promise<boolean> {
  await tx.query(sql.typeAlias('void')`
    delete from video.captions where asset_id = ${asset_id} and language = ${language} and id <> ${id}
      and state = 'failed' and source = 'automatic'`)
  const set = await tx.query(sql.typeAlias('void')`
    update video.captions set language = ${language} where id = ${id} and language in (${undetected}, ${language})
      and not exists (select from video.captions as other
        where other.asset_id = ${asset_id} and other.language = ${language} and other.id <> ${id})`)
  return set.rowCount === 1
}

export async function list(db: Db, assetId: string): Promise<readonly Captions[]> {
  return await db.any(sql.type(Captions)`
    select ${columns} from video.captions as c where c.asset_id = ${assetId} order by c.language`)
}

const OfCaptions = table.Row.pick({ id: true, org_id: true, asset_id: true, language: true, detects: true })

export const Work = OfCaptions.extend({ package_id: Id, heard: z.number() })

export type Work = z.infer<typeof Work>

export async function findWork(db: Db, id: string): Promise<Work | null> {
  return await db.maybeOne(sql.type(Work)`
    select ${getColumns(OfCaptions, 'c')}, a.package_id, ${heard}
    from video.captions as c join video.assets as a on a.id = c.asset_id
    where c.id = ${id} and c.state in ('queued', 'processing') and a.status = 'ready'`)
}

export async function start(tx: Db, id: string, engine: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.captions set state = 'processing', engine = ${engine} where id = ${id} and state in ('queued', 'processing')`)
}

export const Word = z.object({ text: z.string(), from: z.number(), to: z.number() })

export type Word = z.infer<typeof Word>

/** Stores the words of one piece, unless an earlier attempt has stored them. */
export async function addPiece(
  tx: Db,
  id: string,
  piece: { from: number; to: number; words: readonly Word[] },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into video.caption_pieces (captions_id, from_seconds, to_seconds, words)
    values (${id}, ${piece.from}, ${piece.to}, ${JSON.stringify(piece.words)}::jsonb)
    on conflict do nothing`)
}

export async function listWords(db: Db, id: string): Promise<Word[]> {
  const pieces = await db.anyFirst(sql.type(z.object({ words: z.array(Word) }))`
    select words from video.caption_pieces where captions_id = ${id} order by from_seconds`)
  return pieces.flat()
}

/** Lists the ready captions in an asset’s playlists. Locks the asset’s row before the rows of its captions. */
async function offer(tx: Db, assetId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.assets as a set
      captions = coalesce((select array_agg(language order by language) from video.captions as c where ${ready}), '{}'),
      caption_tracks = coalesce((select jsonb_agg(jsonb_build_object('language', language, 'name', name, 'isDefault', is_default,
        'source', source, 'revision', c.id::text || '/' || revision) order by language) from video.captions as c where ${ready}), '[]')
    where id = ${assetId}`)
}

const ready = sql.fragment`c.asset_id = a.id and c.state = 'ready'`

const open = ['uploading', 'processing', 'ready']

/** Locks an asset that can have captions. Returns false if the asset is deleted or has failed. */
async function lockAsset(tx: Db, assetId: string, statuses: readonly string[]): Promise<boolean> {
  return (
    (await tx.maybeOne(sql.type(z.object({ id: Id }))`
      select id from video.assets where id = ${assetId} and status = any(${sql.array([...statuses], 'text')})
      for no key update`)) !== null
  )
}

/**
 * Publishes captions in the playlists. Returns false if the asset was deleted or the captions were already published.
 */
export async function markReady(tx: Db, { id, asset_id }: Work, cues: number): Promise<boolean> {
  if (!(await lockAsset(tx, asset_id, ['ready']))) return false
  const set = await tx.query(sql.typeAlias('void')`
    update video.captions set state = 'ready', cues = ${cues}, ready_at = now()
    where id = ${id} and state in ('queued', 'processing')`)
  await tx.query(sql.typeAlias('void')`delete from video.caption_pieces where captions_id = ${id}`)
  await offer(tx, asset_id)
  return set.rowCount === 1
}

export interface OwnText {
  id: string
  org_id: string
  asset_id: string
  language: string
  name: string | null
  isDefault: boolean
  /** WebVTT. */
  body: string
  cues: number
}

export const maxTracks = 50

/**
 * Stores the owner’s captions. They replace existing captions in the language. Transcribed captions become `corrected`.
 * Returns false if the asset has too many tracks or has failed.
 */
export async function put(tx: Db, own: OwnText): Promise<boolean> {
  const { id, org_id, asset_id, language, name, isDefault, body, cues } = own
  if (!(await lockAsset(tx, asset_id, open))) return false
  if (isDefault) await clearDefault(tx, asset_id)
  const stored = await tx.query(sql.typeAlias('void')`
    insert into video.captions as c (id, org_id, asset_id, language, state, source, name, is_default, body, cues, ready_at, revision)
    select ${id}, ${org_id}, ${asset_id}, ${language}, 'ready', 'uploaded', ${name}, ${isDefault}, ${body}, ${cues}, now(), 1
    where (select count(*) from video.captions where asset_id = ${asset_id} and language <> ${language}) < ${maxTracks}
    on conflict (asset_id, language) do update set state = 'ready', name = excluded.name, is_default = excluded.is_default,
      body = excluded.body, cues = excluded.cues, ready_at = now(), revision = c.revision + 1, failure_code = null,
      failure_summary = null, cues_revision = null,
      engine = case when c.state = 'ready' and c.source <> 'uploaded' then c.engine end,
      source = case when c.state = 'ready' and c.source <> 'uploaded' then 'corrected' else 'uploaded' end`)
  if (stored.rowCount === 0) return false
  await offer(tx, asset_id)
  return true
}

export async function change(
  tx: Db,
  of: { asset_id: string; language: string },
  { name, isDefault }: { name?: string | null | undefined; isDefault?: boolean | undefined },
): Promise<boolean> {
  const { asset_id, language } = of
  if (!(await lockAsset(tx, asset_id, open))) return false
  if (isDefault) await clearDefault(tx, asset_id)
  const changed = await tx.query(sql.typeAlias('void')`
    update video.captions set ${table.set({ ...(name !== undefined && { name }), ...(isDefault !== undefined && { is_default: isDefault }) })}
    where asset_id = ${asset_id} and language = ${language}`)
  if (changed.rowCount > 0) await offer(tx, asset_id)
  return changed.rowCount > 0
}

const clearDefault = async (tx: Db, assetId: string) =>
  await tx.query(
    sql.typeAlias('void')`update video.captions set is_default = false where asset_id = ${assetId} and is_default`,
  )

/** Deletes captions and their transcribed words. Returns false if the language has no captions. */
export async function remove(tx: Db, { asset_id, language }: { asset_id: string; language: string }): Promise<boolean> {
  if (!(await lockAsset(tx, asset_id, open))) return false
  const removed = await tx.query(sql.typeAlias('void')`
    delete from video.captions where asset_id = ${asset_id} and language = ${language}`)
  if (removed.rowCount > 0) await offer(tx, asset_id)
  return removed.rowCount > 0
}

/** Returns the text of ready captions that their owner uploaded; `null` if a transcribed text is in storage. */
export async function findBody(db: Db, assetId: string, language: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ body: z.string().nullable() }))`
    select body from video.captions where asset_id = ${assetId} and language = ${language} and state = 'ready'`)
}

export async function listWaiting(tx: Db, assetId: string): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select id from video.captions where asset_id = ${assetId} and state = 'queued' and source = 'automatic'`)
}

/** Returns the tracks for players. Captions of earlier releases have only a language. */
export const getTracks = (asset: {
  captions: readonly string[]
  caption_tracks: readonly CaptionTrack[]
}): CaptionTrack[] =>
  asset.captions.map(
    (language) =>
      asset.caption_tracks.find((track) => track.language === language) ??
      CaptionTrack.parse({ language, name: null, isDefault: false, source: 'automatic', revision: '' }),
  )

/** Fails captions with a message for the owner. Transcribed words are kept for the next request. */
export async function fail(db: Db, id: string, code: string, summary: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update video.captions set state = 'failed', failure_code = ${code}, failure_summary = ${summary}
    where id = ${id} and state in ('queued', 'processing')`)
}

export async function failWaiting(tx: Db, assetId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.captions set state = 'failed', failure_code = 'asset_failed',
      failure_summary = 'The video of which they were to be made has failed.'
    where asset_id = ${assetId} and state in ('queued', 'processing')`)
}

/** Resets failed captions of a ready asset to their start. Returns false if the asset has no failed captions. */
export async function revive(tx: Db, id: string): Promise<boolean> {
  const revived = await tx.query(sql.typeAlias('void')`
    update video.captions as c set state = 'queued', failure_code = null, failure_summary = null
    from video.assets as a where c.id = ${id} and c.state = 'failed' and a.id = c.asset_id and a.status = 'ready'`)
  return revived.rowCount === 1
}
