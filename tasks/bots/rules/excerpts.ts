import type { PassageMatch } from '#sql/bots/passages.ts'
import type { Citation, NearSentence, SourceDocument } from '../../ai/engine.ts'

interface Excerpt extends SourceDocument {
  documentId: string
  start: number
}

export interface Excerpts {
  documents: readonly SourceDocument[]
  /** Nearest sentences in the excerpts, best first. Undefined if no passage has vectors of sentences. */
  near: readonly NearSentence[] | undefined
  inDocuments(citations: readonly Citation[]): Citation[]
}

/** Joins consecutive passages of each document. The excerpt with the best passage comes first. */
export function joinPassages(passages: readonly PassageMatch[]): Excerpts {
  const order = new Map(passages.map((passage, i) => [keyOf(passage), i]))
  const rankOf = (run: readonly PassageMatch[]) => Math.min(...run.map((passage) => order.get(keyOf(passage)) ?? 0))
  const excerpts = runsOf(passages)
    .sort((one, other) => rankOf(one) - rankOf(other))
    .map(excerptOf)
    .map((excerpt, _, all) => (isOnly(excerpt, all) ? { ...excerpt, id: excerpt.documentId } : excerpt))
  const byId = new Map(excerpts.map((excerpt) => [excerpt.id, excerpt]))
  return {
    documents: excerpts.map(({ id, title, url, text }) => ({ id, title, text, ...(url !== undefined && { url }) })),
    near: nearOf(passages, excerpts),
    inDocuments: (citations) =>
      citations.map((citation) => {
        const { documentId = citation.document_id, start = 0 } = byId.get(citation.document_id) ?? {}
        return { ...citation, document_id: documentId, start: citation.start + start, end: citation.end + start }
      }),
  }
}

/** True if an excerpt is the only excerpt of its document, so it needs no separate name. */
const isOnly = ({ documentId }: Excerpt, all: readonly Excerpt[]) =>
  all.filter((other) => other.documentId === documentId).length === 1

const keyOf = ({ document_id, place }: PassageMatch) => `${document_id} ${place}`

function runsOf(passages: readonly PassageMatch[]): PassageMatch[][] {
  const sorted = passages.toSorted((one, other) =>
    one.document_id === other.document_id ? one.place - other.place : one.document_id < other.document_id ? -1 : 1,
  )
  const runs: PassageMatch[][] = []
  for (const passage of sorted) {
    const before = runs.at(-1)?.at(-1)
    const follows = before?.document_id === passage.document_id && before.place + 1 === passage.place
    if (follows) runs.at(-1)?.push(passage)
    else runs.push([passage])
  }
  return runs
}

function excerptOf(run: PassageMatch[]): Excerpt {
  const { document_id, start, title, url } = run[0] as PassageMatch
  const text = run.map((passage) => passage.text).join('')
  return { id: `${document_id}:${start}`, documentId: document_id, start, title, text, ...(url !== null && { url }) }
}

/** Maximum number of sentences. Answers cite up to three of them. */
const mostNear = 20

function nearOf(passages: readonly PassageMatch[], excerpts: readonly Excerpt[]): NearSentence[] | undefined {
  const near = passages.flatMap(({ document_id, start: from, sentences }): NearSentence[] => {
    const excerpt = excerpts.find(
      (one) => one.documentId === document_id && one.start <= from && from < one.start + one.text.length,
    )
    if (!excerpt) return []
    const by = from - excerpt.start
    return sentences.map(({ start, end, likeness }) => ({
      ...{ document_id: excerpt.id, start: by + start, end: by + end, likeness },
    }))
  })
  if (near.length === 0) return undefined
  return near.sort((one, other) => other.likeness - one.likeness).slice(0, mostNear)
}
