import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'

export const State = z.enum(['queued', 'processing', 'ready', 'failed'])

/** Captions of assets, one row for each language. */
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
  }),
)

const CaptionsColumns = table.Row.omit({ org_id: true })

/** The captions of an asset in one language; `heard` is how many seconds of it have been transcribed. */
export const Captions = CaptionsColumns.extend({ heard: z.number() })

/** The parsed row. */
export type Captions = z.infer<typeof Captions>

const heard = sql.fragment`(select coalesce(max(to_seconds), 0) from video.caption_pieces where captions_id = c.id) as heard`
const columns = sql.fragment`${columnsOf(CaptionsColumns, 'c')}, ${heard}`

/** The key prefix of all that is stored of an asset's captions. */
export const captionsPrefix = (assetId: string) => `video/captions/${assetId}/`

export const captionsKey = (assetId: string, language: string) => `${captionsPrefix(assetId)}${language}.vtt`

/**
 * Asks for captions of a ready asset: creates them, or has failed ones made again; their id. Null when they are there or
 * under way; the row's lock makes it so for two that ask at once.
 */
export async function request(
  tx: Db,
  captions: { id: string; org_id: string; asset_id: string; language: string },
): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    ${table.insert(captions)}
    on conflict (asset_id, language) do update set state = 'queued', failure_code = null, failure_summary = null
    where captions.state = 'failed'
    returning id`)
}

export async function find(db: Db, orgId: string, assetId: string, language: string): Promise<Captions | null> {
  return await db.maybeOne(sql.type(Captions)`
    select ${columns} from video.captions as c join video.assets as a on a.id = c.asset_id
    where c.asset_id = ${assetId} and c.org_id = ${orgId} and c.language = ${language} and a.status <> 'deleted'`)
}

export async function list(db: Db, assetId: string): Promise<readonly Captions[]> {
  return await db.any(sql.type(Captions)`
    select ${columns} from video.captions as c where c.asset_id = ${assetId} order by c.language`)
}

const OfCaptions = table.Row.pick({ id: true, org_id: true, asset_id: true, language: true })

/** What the task reads: captions that are to be made, and what the asset is served from. */
export const Work = OfCaptions.extend({ package_id: Id, heard: z.number() })

/** The parsed row. */
export type Work = z.infer<typeof Work>

/** Captions that are still to be made, of an asset that is still ready. */
export async function findWork(db: Db, id: string): Promise<Work | null> {
  return await db.maybeOne(sql.type(Work)`
    select ${columnsOf(OfCaptions, 'c')}, a.package_id, ${heard}
    from video.captions as c join video.assets as a on a.id = c.asset_id
    where c.id = ${id} and c.state in ('queued', 'processing') and a.status = 'ready'`)
}

/** Records that work on them has begun, and with which engine. */
export async function begin(tx: Db, id: string, engine: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.captions set state = 'processing', engine = ${engine} where id = ${id} and state in ('queued', 'processing')`)
}

/** A word and when it is said, in seconds from the start of the asset. */
export const Word = z.object({ text: z.string(), from: z.number(), to: z.number() })

export type Word = z.infer<typeof Word>

/** Stores the words of one stretch, unless an earlier attempt did. */
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

/** Every transcribed word, in order. */
export async function listWords(db: Db, id: string): Promise<Word[]> {
  const pieces = await db.anyFirst(sql.type(z.object({ words: z.array(Word) }))`
    select words from video.caption_pieces where captions_id = ${id} order by from_seconds`)
  return pieces.flat()
}

/** Offers captions to viewers from their next playlist on; false when the asset was deleted meanwhile, or they were there. */
export async function becomeReady(tx: Db, { id, asset_id, language }: Work, cues: number): Promise<boolean> {
  const offered = await tx.query(sql.typeAlias('void')`
    update video.assets set captions = array_append(array_remove(captions, ${language}), ${language})
    where id = ${asset_id} and status = 'ready'`)
  if (offered.rowCount === 0) return false
  const set = await tx.query(sql.typeAlias('void')`
    update video.captions set state = 'ready', cues = ${cues}, ready_at = now()
    where id = ${id} and state in ('queued', 'processing')`)
  await tx.query(sql.typeAlias('void')`delete from video.caption_pieces where captions_id = ${id}`)
  return set.rowCount === 1
}

/** Ends captions with a sentence for the asset's owner; what was transcribed is kept for the next request. */
export async function fail(db: Db, id: string, code: string, summary: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update video.captions set state = 'failed', failure_code = ${code}, failure_summary = ${summary}
    where id = ${id} and state in ('queued', 'processing')`)
}

/** Brings failed captions of a ready asset back to where they begin; false when there are none. */
export async function revive(tx: Db, id: string): Promise<boolean> {
  const revived = await tx.query(sql.typeAlias('void')`
    update video.captions as c set state = 'queued', failure_code = null, failure_summary = null
    from video.assets as a where c.id = ${id} and c.state = 'failed' and a.id = c.asset_id and a.status = 'ready'`)
  return revived.rowCount === 1
}
