import { getHeaderContext, type Rule } from '#sql/automation/rules.ts'
import { createJobsOf } from '../../../work/rules/create-jobs.ts'
import type { NewJob } from '../../../work/rules/new-job.ts'
import { getJobSeal } from '../../../work/rules/secrets.ts'
import type { ActionKind } from '../outcome.ts'
import { type EventFacts, fillText, fillValue, UnfilledError } from '../placeholders.ts'

/** Maximum size of the body of a job, in bytes. */
const maxBody = 256 * 1024

/** Maximum length of a key, in characters. */
const maxKey = 255

export type JobRequest = Omit<NewJob, 'headers' | 'runAt' | 'origin'> & { delaySeconds: number }

interface ReadyJob {
  orgId: string
  job: NewJob
}

/** Creates an HTTP job. Its body is the event, if the rule has none. */
export const jobKind: ActionKind<'job', JobRequest, ReadyJob> = {
  fill({ type: _, header_names: __, timeout, delay, dedupe_key, dedupe_window, ...fields }, facts) {
    const fillKey = (text: string) => keyOf(fillText(text, facts))
    return {
      ...fields,
      body: fields.method === 'GET' ? undefined : bodyOf(fields.body, facts),
      delaySeconds: delay ?? 0,
      timeoutMs: timeout * 1_000,
      dedupeKey: dedupe_key === undefined ? undefined : fillKey(dedupe_key),
      dedupeSeconds: dedupe_window,
      concurrency: fields.concurrency && { ...fields.concurrency, key: fillKey(fields.concurrency.key) },
      rate: fields.rate && { ...fields.rate, key: fillKey(fields.rate.key) },
      group: fields.group === undefined ? undefined : fillKey(fields.group),
    }
  },

  prepare: async (_db, filled) =>
    filled.map(({ run, rule, request: { delaySeconds, ...job } }) => {
      const headers = openHeaders(rule)
      if (headers === null)
        return { code: 'headers_unreadable', message: 'The headers of the rule cannot be decrypted. Enter them again.' }
      const runAt = delaySeconds > 0 ? new Date(Date.now() + delaySeconds * 1_000) : undefined
      return { orgId: run.org_id, job: { ...job, headers, runAt, origin: { kind: 'rule', id: rule.id } } }
    }),

  async perform(tx, ready) {
    const created = await createJobsOf(tx, ready)
    return created.map(({ id }) => ({ resultId: id }))
  },
}

function keyOf(text: string): string {
  if (text.trim() === '' || text.length > maxKey)
    throw new UnfilledError(`Keys and the group must have 1 to ${maxKey} characters.`)
  return text
}

function bodyOf(body: unknown, facts: EventFacts): NewJob['body'] {
  const filled = body === undefined ? facts : fillValue(body, facts)
  const result =
    typeof filled === 'string' && typeof body === 'string'
      ? { text: filled, type: 'text' as const }
      : { text: JSON.stringify(filled), type: 'json' as const }
  if (Buffer.byteLength(result.text) > maxBody) throw new UnfilledError(`The body has more than ${maxBody} bytes.`)
  return result
}

/** Returns the headers of a rule. Null if they cannot be decrypted. */
export function openHeaders({
  id,
  secret_headers,
}: Pick<Rule, 'id' | 'secret_headers'>): Record<string, string> | null {
  if (secret_headers === null) return {}
  const opened = getJobSeal().open(secret_headers, getHeaderContext(id))
  return opened === null ? null : JSON.parse(opened)
}

/** Seals the headers of a rule. Null if there are none. */
export const sealHeaders = (headers: Readonly<Record<string, string>>, ruleId: string): string | null =>
  Object.keys(headers).length === 0 ? null : getJobSeal().close(JSON.stringify(headers), getHeaderContext(ruleId))
