import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

const Word = z.object({ text: z.string(), from: z.number(), to: z.number() })

export const table = defineTable(
  'video',
  'caption_cues',
  z.object({
    captions_id: Id,
    number: z.int(),
    org_id: Id,
    from_seconds: z.number(),
    to_seconds: z.number(),
    speaker: z.string().nullable(),
    text: z.string(),
    words: z.array(Word).nullable(),
    search_text: z.string(),
  }),
)

export interface CaptionCue {
  from: number
  to: number
  speaker: string | null
  text: string
  /** The text that a search compares. */
  searched: string
  words: readonly z.infer<typeof Word>[] | null
}

/** Lexeme that all cues of an organisation have. Words of texts never start with a space. */
export const ownerLexeme = (orgId: string): string => ` org:${orgId}`

/**
 * Replaces the cues of captions. Each cue is found by its own words and by those of the next cue, because sentences
 * continue in the next cue.
 */
export async function replace(
  tx: Db,
  of: { id: string; org_id: string },
  cues: readonly CaptionCue[],
  configuration: string,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from video.caption_cues where captions_id = ${of.id}`)
  if (cues.length === 0) return
  const rows = cues.map(({ from, to, speaker, text, searched, words }, number) => ({
    number,
    from_seconds: from,
    to_seconds: to,
    speaker,
    text,
    words,
    search_text: searched,
  }))
  await tx.query(sql.typeAlias('void')`
    insert into video.caption_cues
      (captions_id, number, org_id, from_seconds, to_seconds, speaker, text, words, search_text, search)
    select ${of.id}, number, ${of.org_id}, from_seconds, to_seconds, speaker, text, nullif(words, 'null'::jsonb), search_text,
      array_to_tsvector(array[${ownerLexeme(of.org_id)}])
        || to_tsvector(${configuration}::regconfig,
          search_text || ' ' || coalesce(lead(search_text) over (order by number), ''))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as c (number integer, from_seconds double precision,
      to_seconds double precision, speaker text, text text, words jsonb, search_text text)`)
}

const Cue = table.Row.pick({ from_seconds: true, to_seconds: true, speaker: true, text: true, words: true })

export type StoredCue = z.infer<typeof Cue>

export async function list(db: Db, captionsId: string): Promise<readonly StoredCue[]> {
  return await db.any(sql.type(Cue)`
    select from_seconds, to_seconds, speaker, text, words from video.caption_cues
    where captions_id = ${captionsId} order by number`)
}
