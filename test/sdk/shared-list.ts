import { readFile } from 'node:fs/promises'
import { readContract } from '../../sdk/generate/document.ts'
import { exportedName } from '../../sdk/generate/go-names.ts'
import type { Scope } from '../support/postgres.ts'
import { closedUrl, type Fault, faultProxy, type Seen } from './fault-proxy.ts'

/** One call of the list, as every client makes it (calls.md tells of each field). */
export interface SharedCall {
  id: string
  key: string
  operation?: string
  helper?: string
  path?: string[]
  args?: Record<string, unknown>
  options?: { idempotency_key?: string; timeout_ms?: number; max_retries?: number }
  take?: { items?: number; pages?: number; events?: number }
  faults?: Fault[]
  nowhere?: boolean
  expect: { answer?: unknown; error?: Partial<CallError> }
  requests?: number
}

/** An error as a runner reports it. */
export interface CallError {
  type: string
  status: number | null
  code: string | null
  fields: string[]
  retry_after: number | null
  has_request_id: boolean
}

/** What came of a call. */
export type Outcome = { answer: unknown } | { error: CallError }

/** What a client's runner is given: it makes the calls in their order, each with a client of its own. */
export interface Program {
  /** What arguments may name beside the answers of earlier calls. */
  given: Record<string, unknown>
  calls: (SharedCall & {
    base_url: string
    api_key: string | null
    node: string[]
    python: string[]
    go: string[]
    verb: string
    /** Path of the operation with the names of its parameters. */
    api_path: string
  })[]
}

/** The whole list. */
export const sharedCalls = async (): Promise<SharedCall[]> =>
  JSON.parse(await readFile(new URL('calls.json', import.meta.url), 'utf8')).calls

/** A running API: where it is, its keys by their names in the list, and what else calls refer to. */
export interface Served {
  baseUrl: string
  keys: Record<string, string>
  given: Record<string, unknown>
  /** URL of the mail catcher. */
  mailUrl?: string | undefined
}

/** What is wrong with a run, one sentence each, and what came of every call. */
export interface Run {
  faults: string[]
  outcomes: Record<string, Outcome>
}

/** Has a client make every call of the list; `mark` tells two runs on one API apart. */
export async function runList(
  t: Scope,
  { baseUrl, keys, given }: Served,
  mark: string,
  run: (program: Program) => Promise<Record<string, Outcome>>,
  /** Helpers that the client does not have. */
  lacking: string[] = [],
): Promise<Run> {
  const calls =
    (JSON.parse(
      JSON.stringify(possible(await sharedCalls(), lacking))
        .replaceAll('<run>', mark)
        .replaceAll('<user>', mark.padStart(12, '0')),
    ) as SharedCall[]) ?? []
  const methods = new Map(readContract().methods.map((method) => [method.id, method]))
  const proxy = await faultProxy(t, baseUrl, (id) => calls.find((call) => call.id === id)?.faults ?? [])
  const closed = await closedUrl()
  const program: Program = {
    given,
    calls: calls.map((call) => {
      const method = methods.get(call.operation ?? '')
      if (!method && !call.helper) throw new Error(`${call.id}: there is no operation ${call.operation}.`)
      const key = keys[call.key] ?? null
      if (key === null && call.key !== 'none') throw new Error(`${call.id}: there is no key ${call.key}.`)
      const base = call.nowhere ? closed : `${proxy.url}/${call.id}`
      const { node = [], python = [], verb = '', path: api_path = '' } = method ?? {}
      return { ...call, base_url: base, api_key: key, node, python, go: node.map(exportedName), verb, api_path }
    }),
  }
  const outcomes = await run(program)
  return { faults: calls.flatMap((call) => faultsOf(call, outcomes[call.id], proxy.seen(call.id))), outcomes }
}

/** Returns the calls without some helpers, and without the calls that refer to their answers. */
function possible(calls: SharedCall[], lacking: string[]): SharedCall[] {
  const left: SharedCall[] = []
  const gone: string[] = []
  for (const call of calls) {
    const text = JSON.stringify([call.path, call.args])
    const refers = gone.some((id) => text.includes(`"$${id}.`))
    if (refers || lacking.includes(call.helper ?? '')) gone.push(call.id)
    else left.push(call)
  }
  return left
}

function faultsOf(call: SharedCall, outcome: Outcome | undefined, seen: Seen[]): string[] {
  if (!outcome) return [`${call.id} was not made`]
  const faults = differences(call.expect, outcome, '').map(
    (difference) => `${call.id}${difference}; all of it: ${JSON.stringify(outcome).slice(0, 600)}`,
  )
  if (call.requests !== undefined && seen.length !== call.requests) {
    faults.push(`${call.id} took ${seen.length} requests, not ${call.requests}`)
  }
  if (new Set(seen.filter(({ verb }) => verb !== 'GET').map(({ key }) => key)).size > 1 && !call.helper) {
    faults.push(`${call.id} changed its idempotency key`)
  }
  return faults
}

/** Where a value is not as expected: `<string>` and its like are of a type, objects may have more, all else is equal. */
export function differences(expected: unknown, value: unknown, at: string): string[] {
  const kind = typeof expected === 'string' && /^<(\w+)>$/.exec(expected)?.[1]
  if (kind) return kindOf(value) === kind ? [] : [`${at} is ${JSON.stringify(value)}, no ${kind}`]
  if (expected === null || typeof expected !== 'object') {
    return Object.is(expected, value) ? [] : [`${at} is ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`]
  }
  if (kindOf(value) !== kindOf(expected)) return [`${at} is ${JSON.stringify(value)}, no ${kindOf(expected)}`]
  const [wanted, had] = [expected as Record<string, unknown>, value as Record<string, unknown>]
  const length = Array.isArray(expected) && expected.length !== (value as unknown[]).length
  if (length) return [`${at} has ${(value as unknown[]).length} items, not ${expected.length}`]
  return Object.keys(wanted).flatMap((name) => differences(wanted[name], had[name], `${at}.${name}`))
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Where two clients saw answers of another shape; what is null yet for one of them may have come for the other. */
export function contradictions(one: unknown, other: unknown, path = ''): string[] {
  if (one === null || other === null) return []
  if (kindOf(one) !== kindOf(other)) return [`${path}: ${kindOf(one)} and ${kindOf(other)}`]
  if (Array.isArray(one) && Array.isArray(other))
    return one.length > 0 && other.length > 0 ? contradictions(one[0], other[0], `${path}[0]`) : []
  if (typeof one !== 'object') return []
  const [first, second] = [one, other] as Record<string, unknown>[]
  const names = new Set([...Object.keys(first ?? {}), ...Object.keys(second ?? {})])
  return [...names].flatMap((name) => contradictions(first?.[name], second?.[name], `${path}.${name}`))
}
