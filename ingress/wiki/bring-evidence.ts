import { setImmediate as nextTurn } from 'node:timers/promises'
import { badRequest, type Fault } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Plan } from '#sql/account/plans.ts'
import type { Db } from '#sql/db.ts'
import * as claims from '#sql/wiki/claims.ts'
import * as entities from '#sql/wiki/entities.ts'
import * as references from '#sql/wiki/references.ts'
import * as sources from '#sql/wiki/sources.ts'
import { normaliseText } from '#tasks/wiki/rules/normal-text.ts'
import { createValueMatcher } from './cite.ts'
import type { WikiDocument } from './document.ts'
import { requireFewNames } from './entities.ts'
import { requestSnapshotsWithinPlan } from './request-snapshots.ts'

type Front = WikiDocument['front']

export interface Evidence {
  claims: Front['claims']
  places: ReadonlyMap<string, { source_id: string; snapshot_id: string }>
}

export async function importEvidence(tx: Db, orgId: string, plan: Plan, front: Front): Promise<Evidence> {
  // This runs first, because it checks the plan and locks sources in the same order as other requests.
  const places = await importSources(tx, orgId, plan, front)
  const ids = await importEntities(tx, orgId, front)
  const known = await entities.existing(
    tx,
    orgId,
    namesIn(front).flatMap(({ id }) => ids.get(id) ?? id),
  )
  const faults: Fault[] = namesIn(front)
    .filter(({ id }) => !known.has(ids.get(id) ?? id))
    .map(({ field }) => ({ field, issue: 'must be an entity of the document or of your organisation' }))
  if (faults.length > 0) throw badRequest(faults)
  const renamed = <Value extends { type: string; content: string }>(value: Value): Value =>
    value.type === 'entity' ? { ...value, content: ids.get(value.content) ?? value.content } : value
  return {
    places,
    claims: front.claims.map((claim) => ({
      ...claim,
      entity_id: ids.get(claim.entity_id) ?? claim.entity_id,
      value: renamed(claim.value),
      qualifiers: claim.qualifiers.map((one) => ({ ...one, value: renamed(one.value) })),
    })),
  }
}

const namesIn = ({ claims }: Front) =>
  claims.flatMap(({ entity_id, value, qualifiers }, i) => {
    const place = `body.document.claims.${i}`
    const values = [
      { at: 'value', value },
      ...qualifiers.map(({ value }, at) => ({ at: `qualifiers.${at}.value`, value })),
    ]
    return [
      { field: `${place}.entity_id`, id: entity_id },
      ...values.flatMap(({ at, value }) =>
        value.type === 'entity' ? [{ field: `${place}.${at}.content`, id: value.content }] : [],
      ),
    ]
  })

async function importSources(tx: Db, orgId: string, plan: Plan, front: Front): Promise<Evidence['places']> {
  const found = new Map<string, Parameters<typeof sources.registerMany>[1][number]>()
  for (const { uri, title, publisher } of front.claims.flatMap(({ references }) => references)) {
    const known = found.get(uri.canonicalUrl)
    found.set(uri.canonicalUrl, {
      ...{ id: newId(), org_id: orgId, uri: known?.uri ?? uri.uri, canonical_url: uri.canonicalUrl },
      title: title ?? known?.title ?? null,
      publisher: publisher ?? known?.publisher ?? null,
    })
  }
  const byUrl = await sources.registerMany(tx, [...found.values()])
  const snapshots = await requestSnapshotsWithinPlan(tx, orgId, plan, [...byUrl.values()])
  const bySource = new Map(snapshots.map(({ id, source_id }) => [source_id, id]))
  return new Map(
    [...byUrl].flatMap(([url, source_id]) => {
      const snapshot_id = bySource.get(source_id)
      return snapshot_id === undefined ? [] : [[url, { source_id, snapshot_id }] as const]
    }),
  )
}

/** Creates missing entities. Returns their new IDs by their IDs in the document. */
async function importEntities(tx: Db, orgId: string, { entities: given }: Front): Promise<ReadonlyMap<string, string>> {
  const known = await entities.existing(
    tx,
    orgId,
    given.map(({ id }) => id),
  )
  const lacking = given.flatMap(({ id, descriptions = {}, aliases = {}, external_ids = {}, ...one }, i) => {
    if (known.has(id)) return []
    requireFewNames({ ...one, aliases }, `body.document.entities.${i}.labels`)
    return [{ before: id, row: { id: newId(), org_id: orgId, ...one, descriptions, aliases, external_ids } }]
  })
  await entities.insertMany(
    tx,
    lacking.map(({ row }) => row),
  )
  return new Map(lacking.map(({ before, row }) => [before, row.id]))
}

export async function importClaims(
  tx: Db,
  article: { id: string; org_id: string },
  { claims: given, places }: Evidence,
  idOf: (id: string) => string,
): Promise<void> {
  const finder = await createValueMatcher(
    tx,
    article.org_id,
    given.map(({ value }) => value),
  )
  await claims.insertMany(
    tx,
    article.id,
    given.map(({ references: _, id, ...claim }) => ({
      ...{ ...claim, id: idOf(id), org_id: article.org_id, deprecation_reason: null },
    })),
  )
  const cited: references.NewReference[] = []
  for (const { id, value, references } of given) {
    const isIn = finder(value)
    for (const { uri, quote, locator = null } of references) {
      const place = places.get(uri.canonicalUrl)
      const weighed = { quote, normal_quote: normaliseText(quote), names_value: isIn(quote) }
      if (place) cited.push({ id: newId(), claim_id: idOf(id), ...place, ...weighed, locator })
    }
    // Lets other requests run, because checking a megabyte of quotes takes a third of a second.
    await nextTurn()
  }
  await references.add(tx, cited)
}
