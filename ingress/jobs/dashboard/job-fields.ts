import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { optionalField } from '../../http/html/form.ts'

const text = optionalField(z.string())

/** Fields of a form that describe a job without its start. */
export const jobFields = {
  url: z.string().default(''),
  method: z.string().default('POST'),
  headers: z.string().default(''),
  body: z.string().default(''),
  body_type: z.enum(['json', 'text']).default('json'),
  ...{ max_attempts: text, retry_delays: text, timeout: text, group: text },
  ...{ concurrency: text, concurrency_limit: text, rate: text, rate_limit: text },
  rate_per: z.enum(['second', 'minute', 'hour']).default('minute'),
}

type Given = z.output<z.ZodObject<typeof jobFields>>

/** Returns a job of a form as the API takes it. Texts that are no numbers are passed on, so that the API rejects them. */
export function toJob(given: Given): Record<string, unknown> {
  const { url, method, timeout, group, concurrency, rate } = given
  return compact({
    ...{ url: url.trim(), method, group },
    headers: toHeaders(given.headers),
    body: method === 'GET' ? undefined : toBody(given),
    retries: toRetries(given),
    timeout: toNumber(timeout),
    concurrency: concurrency && { key: concurrency, limit: toNumber(given.concurrency_limit) ?? 1 },
    rate: rate && { key: rate, limit: toNumber(given.rate_limit) ?? 1, per: given.rate_per },
  })
}

const compact = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export function toNumber(given: string | undefined): number | string | undefined {
  if (given === undefined) return undefined
  return /^\d{1,15}$/.test(given.trim()) ? Number(given) : given
}

/** Returns the time of a date-and-time field, read as UTC. */
export function toInstant(given: string | undefined): string | undefined {
  const word = given?.trim()
  if (!word) return undefined
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(word) ? `${word}:00Z` : word
}

function toHeaders(lines: string): Record<string, string> | undefined {
  const pairs = lines
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...value] = line.split(':')
      if (value.length === 0)
        throw badRequest([
          { field: 'form.headers', issue: 'must have a header per line, such as Authorization: Bearer 17' },
        ])
      return [name.trim(), value.join(':').trim()] as const
    })
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

function toBody({ body, body_type }: Given): unknown {
  if (body.trim() === '') return undefined
  if (body_type === 'text') return body.replaceAll('\r\n', '\n')
  try {
    return JSON.parse(body)
  } catch {
    throw badRequest([{ field: 'form.body', issue: 'must be JSON. For other text, choose the type Text.' }])
  }
}

function toRetries({ max_attempts, retry_delays }: Given): Record<string, unknown> | undefined {
  if (max_attempts === undefined && retry_delays === undefined) return undefined
  const schedule = retry_delays?.split(',').map((word) => toNumber(word.trim()))
  return compact({ max_attempts: toNumber(max_attempts), schedule })
}

const names: Readonly<Record<string, string>> = {
  'retries.max_attempts': 'max_attempts',
  'retries.schedule': 'retry_delays',
  'concurrency.limit': 'concurrency_limit',
  'rate.limit': 'rate_limit',
}

/** Moves faults of a job, such as `body.job.retries.schedule`, to the fields of the form. */
export async function atJobFields<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const details = (error.details as Fault[]).map(({ field, issue }) => ({ field: toField(field), issue }))
    throw new Problem(error.status, error.code, error.message, { details })
  }
}

function toField(field: string): string {
  const inner = field.replace(/^body\.(job\.)?/, '')
  const named = Object.keys(names).find((name) => inner === name || inner.startsWith(`${name}.`))
  return `body.${named ? names[named] : inner}`
}
