import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { mask, maskText } from '#lib/mask.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Request } from '#sql/account/usage/requests.ts'
import type { Sample } from '../limits/requests.ts'
import { issueTexts } from './issue-texts.ts'
import { maskBodies } from './mask-body.ts'

export function toLogRow(sample: Sample, { org, key }: Caller, bodies: boolean): Request {
  const { ctx, problem } = sample
  const failed = sample.status >= 400
  const length = Number(ctx.request.headers['content-length'])
  const heads = bodies ? headsOf(ctx) : { request_head: null, response_head: null }
  return {
    id: sample.id,
    org_id: org.id,
    key_id: key.id,
    secret_id: key.secret_id,
    client_id: sample.clientId === undefined ? null : maskText(sample.clientId),
    operation: sample.operation,
    status: sample.status,
    code: problem?.code ?? null,
    ms: sample.seconds * 1000,
    bytes_in: Number.isSafeInteger(length) ? length : null,
    bytes_out: ctx.length ?? null,
    network: getLoggedNetwork(String(ctx.state.ip).replace(/^::ffff:(?=\d+\.)/, '')),
    sdk: sdkOf(ctx.request.headers['user-agent']),
    jobs: failed ? [] : [...sample.jobs],
    resource_id: failed || ctx.method === 'GET' ? null : madeBy(ctx.body),
    error: problem ? errorOf(ctx, problem) : null,
    ...heads,
  }
}

const sdkOf = (agent: string | undefined): string | null =>
  /^millrace-[a-z]{1,20}\/[\w.-]{1,20}/.exec(agent ?? '')?.[0] ?? null

const madeWithin = 400

function madeBy(body: unknown): string | null {
  if (typeof body !== 'string' || !body.startsWith('{')) return null
  return Id.safeParse(/"id":"([0-9a-f-]{36})"/.exec(body.slice(0, madeWithin))?.[1]).data ?? null
}

const [maxFields, maxLength] = [20, 100]

/** Returns the code, fields and texts of an error. Values of the request are masked in the texts. */
function errorOf(ctx: Context, problem: Problem): NonNullable<Request['error']> {
  const { code, details } = problem
  const faults: readonly unknown[] = Array.isArray(details) ? details : []
  const fields = faults.slice(0, maxFields).flatMap((fault) => {
    const { field } = Object(fault) as { field?: unknown }
    return typeof field === 'string' ? [fieldName(field)] : []
  })
  return { code, fields, ...issueTexts(ctx, problem) }
}

function fieldName(field: string): string {
  const name = field.slice(0, maxLength)
  return /^[\w.[\]-]+$/.test(name) && maskText(name) === name ? name : mask
}

const [headLength, readLength] = [2_048, 65_536]

function headsOf(ctx: Context): Pick<Request, 'request_head' | 'response_head'> {
  const masked = maskBodies(ctx.state.operation)
  return {
    request_head: headOf(ctx.state.given, masked.request),
    response_head: headOf(answerOf(ctx), masked.response),
  }
}

function headOf(body: unknown, masked: (body: unknown) => unknown): string | null {
  if (typeof body !== 'object' || body === null) return null
  const text = JSON.stringify(body)
  return text.length > readLength ? null : JSON.stringify(masked(body)).slice(0, headLength)
}

function answerOf({ body, type }: Context): unknown {
  if (typeof body !== 'string' || body.length > readLength || !type.includes('json')) return null
  return JSON.parse(body)
}
