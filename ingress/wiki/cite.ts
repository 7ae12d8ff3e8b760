import type { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as claims from '#sql/wiki/claims.ts'
import * as entities from '#sql/wiki/entities.ts'
import type { NewReference } from '#sql/wiki/references.ts'
import * as snapshots from '#sql/wiki/snapshots.ts'
import * as sources from '#sql/wiki/sources.ts'
import { valueFinder } from '#tasks/wiki/rules/names-value.ts'
import { normaliseText } from '#tasks/wiki/rules/normal-text.ts'
import type { Qualifiers, ReferenceForm, Value } from './claim-fields.ts'

interface CitationRequest {
  entity_id?: string
  value?: z.output<typeof Value>
  qualifiers?: z.output<typeof Qualifiers> | undefined
  article_ids?: readonly string[] | undefined
  references?: readonly { field: string; given: z.output<typeof ReferenceForm> }[]
}

/**
 * Returns the references of a request with their snapshots. Throws a 400 with every unknown entity, article, source and
 * snapshot.
 */
export async function resolveReferences(
  tx: Db,
  orgId: string,
  named: CitationRequest,
): Promise<Omit<NewReference, 'claim_id'>[]> {
  const { references = [] } = named
  const sourceIds = references.map(({ given }) => given.source_id)
  const known = await sources.existing(tx, orgId, sourceIds)
  const newest = await snapshots.findNewest(tx, orgId, sourceIds)
  const snapshotIds = references.flatMap(({ given }) => given.snapshot_id ?? newest.get(given.source_id) ?? [])
  const locked = await lockSnapshots(tx, orgId, snapshotIds)
  const finders = await createValueMatcher(tx, orgId, named.value ? [named.value] : [])
  const isIn = named.value && finders(named.value)

  const faults = await findMissing(tx, orgId, named)
  const made = references.flatMap(({ field, given: { source_id, snapshot_id, quote, locator = null } }) => {
    const id = snapshot_id ?? newest.get(source_id)
    const snapshot = id === undefined ? undefined : locked.get(id)
    const isItsOwn = snapshot?.source_id === source_id
    if (!known.has(source_id))
      faults.push({ field: `${field}.source_id`, issue: 'must be a source of your organisation' })
    else if (!isItsOwn) faults.push({ field: `${field}.snapshot_id`, issue: whyNone(snapshot_id) })
    if (!snapshot || !isItsOwn || !isIn) return []
    return [
      {
        id: newId(),
        source_id,
        snapshot_id: snapshot.id,
        quote,
        normal_quote: normaliseText(quote),
        locator,
        names_value: isIn(quote),
      },
    ]
  })
  if (faults.length > 0) throw badRequest(faults)
  return made
}

/**
 * Returns a function that searches for values in quotes. Locks the names of their entities until the transaction ends.
 */
export async function createValueMatcher(tx: Db, orgId: string, values: readonly z.output<typeof Value>[]) {
  const named = values.flatMap((value) => (value.type === 'entity' ? [value.content] : []))
  const names = named.length === 0 ? new Map<string, readonly string[]>() : await entities.lockNames(tx, orgId, named)
  return (value: z.output<typeof Value>) =>
    valueFinder({ ...value, names: value.type === 'entity' ? (names.get(value.content) ?? []) : [] })
}

/**
 * Locks snapshots. If one no longer exists, tries a second time, because a pending snapshot may have been merged into
 * an existing one.
 */
async function lockSnapshots(tx: Db, orgId: string, ids: readonly string[]) {
  const found = await snapshots.lock(tx, orgId, ids)
  const all = found.length < new Set(ids).size ? await snapshots.lock(tx, orgId, ids) : found
  return new Map(all.map((one) => [one.asked, one]))
}

const whyNone = (snapshotId: string | undefined) =>
  snapshotId ? 'must be a snapshot of the source' : 'is required: the source has no successful or pending snapshot'

async function findMissing(tx: Db, orgId: string, named: CitationRequest): Promise<Fault[]> {
  const { entity_id, value, qualifiers = [], article_ids = [] } = named
  const values = [
    ...(value ? [{ place: 'body.value', value }] : []),
    ...qualifiers.map((one, i) => ({ place: `body.qualifiers.${i}.value`, value: one.value })),
  ]
  const subjects = [
    ...(entity_id ? [{ field: 'body.entity_id', id: entity_id }] : []),
    ...values.flatMap(({ place, value }) =>
      value.type === 'entity' ? [{ field: `${place}.content`, id: value.content }] : [],
    ),
  ]
  const ids = subjects.map(({ id }) => id)
  const knownEntities = await entities.existing(tx, orgId, ids)
  const knownArticles = await claims.existingArticles(tx, orgId, article_ids)
  const articles = article_ids.map((id, i) => ({ field: `body.article_ids.${i}`, id }))
  return [
    ...subjects
      .filter(({ id }) => !knownEntities.has(id))
      .map(({ field }) => ({ field, issue: 'must be an entity of your organisation' })),
    ...articles
      .filter(({ id }) => !knownArticles.has(id))
      .map(({ field }) => ({ field, issue: 'must be an article of your organisation' })),
  ]
}
