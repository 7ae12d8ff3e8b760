import * as closures from '#sql/account/closures.ts'
import type { Db } from '#sql/db.ts'
import * as connections from '#sql/notify/connections.ts'
import * as events from '#sql/notify/events.ts'
import { flattenSteps } from '#sql/notify/flat-steps.ts'
import * as marks from '#sql/notify/inbox-marks.ts'
import * as people from '#sql/notify/people.ts'
import * as preferences from '#sql/notify/preferences.ts'
import * as fetches from '#sql/notify/run-fetches.ts'
import * as trace from '#sql/notify/run-steps.ts'
import type { DueRun } from '#sql/notify/runs.ts'
import * as texts from '#sql/notify/texts.ts'
import * as users from '#sql/notify/users.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import { filterEntitled } from '../../account/rules/entitled-keys.ts'
import { listLocales } from './locales.ts'

/** Maximum number of events of a window that its texts can show. */
export const maxShown = 100

/** Current data for the decisions of steps. The data may have changed since the run started. */
export interface StepContext {
  version: versions.Version | undefined
  person: people.Person | undefined
  keyIsLive: boolean
  orgIsClosing: boolean
  preferences: readonly preferences.Preference[]
  /** For runs that collect events: the number of events, and the first events. */
  gathered: { count: number; events: readonly { title: string; body: string | null; url: string | null }[] }
  standing: Pick<marks.MarkedItem, 'read_at' | 'seen_at' | 'archived_at'> | undefined
  trace: readonly trace.RunStep[]
  /** Requests of the run’s `fetch` steps. */
  fetches: readonly fetches.Fetch[]
  /** Returns the connection to a chat service for the person. */
  connectionOf(kind: connections.ChatChannel): string | undefined
  /** Returns the organisation’s text as of the run’s start, by type and language. */
  textOf(type: string, locale: string): texts.Text | undefined
}

export async function readStepContext(tx: Db, due: readonly DueRun[]): Promise<(run: DueRun) => StepContext> {
  const found = new Map((await versions.findMany(tx, due)).map((one) => [`${one.workflow_id} ${one.version}`, one]))
  const versionOf = ({ workflow_id, version }: DueRun) => found.get(`${workflow_id} ${version}`)
  const known = new Map((await people.findMany(tx, due)).map((person) => [users.getPersonName(person), person]))
  const live = await filterEntitled(tx, [...new Set(due.flatMap(({ key_id }) => key_id ?? []))], 'notify:write')
  const closing = new Set<string>()
  for (const orgId of new Set(due.map(({ org_id }) => org_id)))
    if (await closures.isClosing(tx, orgId)) closing.add(orgId)
  const held = Map.groupBy(await preferences.findMany(tx, due), groupOf)
  const windows = due.filter(({ digest_key }) => digest_key !== null).map(({ id }) => id)
  const gathered = new Map((await events.listForRuns(tx, windows, maxShown)).map((one) => [one.run_id, one]))
  const later = due.filter(({ step }) => step > 0)
  const standing = new Map(
    (
      await marks.findStates(
        tx,
        later.map(({ event_id }) => event_id),
      )
    ).map((item) => [item.id, item]),
  )
  const past = Map.groupBy(
    await trace.listOf(
      tx,
      later.map(({ id }) => id),
    ),
    ({ run_id }) => run_id,
  )
  const fetched = Map.groupBy(
    await fetches.listOf(
      tx,
      due.filter(({ step, begun }) => step > 0 || begun).map(({ id }) => id),
    ),
    ({ run_id }) => run_id,
  )
  const personOf = (run: DueRun) => known.get(users.getPersonName(run))
  const textFor = await lookUpTexts(tx, due, versionOf, personOf)
  const wantedOf = (run: DueRun) => ({ org_id: run.org_id, connection_ids: personOf(run)?.connection_ids ?? [] })
  const connectionFor = await connections.findForPeople(tx, due.filter(usesChat(versionOf)).map(wantedOf))
  return (run) => ({
    version: versionOf(run),
    person: personOf(run),
    keyIsLive: run.key_id === null || live.has(run.key_id),
    orgIsClosing: closing.has(run.org_id),
    preferences: (held.get(groupOf(run)) ?? []).filter(({ type }) => type === run.type || type === preferences.anyType),
    gathered: gathered.get(run.id) ?? { count: 1, events: [run] },
    standing: standing.get(run.event_id),
    trace: past.get(run.id) ?? [],
    fetches: fetched.get(run.id) ?? [],
    connectionOf: (kind) => connectionFor(wantedOf(run), kind),
    textOf: (type, locale) => textFor(run, type, locale),
  })
}

/** True if a later step of a run uses a chat service. */
const usesChat = (versionOf: (run: DueRun) => versions.Version | undefined) => (run: DueRun) =>
  versionOf(run)?.steps.some((step) => step.type === 'channel' && connections.isChatChannel(step.channel)) ?? false

const groupOf = ({ org_id, user_id, product_key }: Omit<preferences.PreferenceKey, 'type'>) =>
  JSON.stringify([org_id, user_id, product_key])

/** Reads the texts for the steps of runs, as of the start of each run. */
async function lookUpTexts(
  tx: Db,
  due: readonly DueRun[],
  versionOf: (run: DueRun) => versions.Version | undefined,
  personOf: (run: DueRun) => people.Person | undefined,
) {
  const nameOf = (org: string, type: string, locale: string, edition: number) =>
    JSON.stringify([org, type, locale, edition])
  const wanted = new Map<string, texts.TextAtEdition>()
  for (const run of due.filter(({ edition }) => edition > 0)) {
    const version = versionOf(run)
    const { org_id, edition } = run
    const steps = flattenSteps(version?.steps ?? []).slice(run.step)
    for (const type of new Set(steps.flatMap(({ step }) => (step.type === 'channel' ? (step.text ?? run.type) : []))))
      for (const locale of listLocales(personOf(run)?.locale, version?.fallback_locale))
        wanted.set(nameOf(org_id, type, locale, edition), { org_id, type, locale, edition })
  }
  const found = await texts.findAtEditions(tx, [...wanted.values()])
  const byName = new Map(found.map((text) => [nameOf(text.org_id, text.type, text.locale, text.as_of), text]))
  return ({ org_id, edition }: DueRun, type: string, locale: string) =>
    byName.get(nameOf(org_id, type, locale, edition))
}
