import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type App, type AppOptions, createApp } from '../../ingress/http/app.ts'
import type { Area } from '../../ingress/http/area.ts'
import { listen } from '../../ingress/http/server.ts'
import { createOrg, type KeyRequest } from '../../sql/account/setup.ts'
import type { DatabasePool } from '../../sql/db.ts'
import './emitted.ts'
import { areasNamed, failOfOthers } from './areas.ts'
import type { Scope } from './postgres.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any
}

export interface Ask {
  key?: string
  body?: unknown
  /** Sent unchanged instead of `body`. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** A test that fails if an ingress returns an undeclared problem. */
export interface TestScope extends Scope {
  fail(message: string): unknown
}

export interface TestIngress {
  url: string
  app: App
  ask(request: string, options?: Ask): Promise<Reply>
}

export async function ask(base: string, request: string, options: Ask = {}): Promise<Reply> {
  const [method = 'GET', path = '/'] = request.split(' ')
  const headers: Record<string, string> = { ...options.headers }
  if (options.key) headers.authorization = `Bearer ${options.key}`
  let body: string | Uint8Array | undefined = options.raw
  if (options.body !== undefined) {
    headers['content-type'] ??= 'application/json'
    body = JSON.stringify(options.body)
  }
  const response = await fetch(base + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: body as RequestInit['body'] & {} }),
    ...(options.signal ? { signal: options.signal } : {}),
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : text }
}

export interface TestIngressOptions extends Partial<AppOptions> {
  /**
   * Names of the areas that it serves in addition to the test’s areas. Default: all. A request to another area fails
   * the test.
   */
  only?: readonly string[]
}

/**
 * Starts an ingress on a free port with the API’s and the test’s areas, until the test ends. An undeclared problem
 * fails the test.
 */
export async function testIngress(
  t: TestScope,
  db: DatabasePool,
  own: Area[] = [],
  { only, ...options }: TestIngressOptions = {},
): Promise<TestIngress> {
  const undeclared: AppOptions['undeclared'] = ({ id }, { status, code }) =>
    t.fail(`${id} answers ${status} ${code}, which it does not declare`)
  const areas = [...(await areasNamed(only)), ...own]
  // Long, because a machine is busy during tests. Tests with an unavailable database set a shorter one.
  const app = createApp({ db, areas, databaseTimeoutMs: 10_000, undeclared, ...options })
  const server = await listen(only ? failOfOthers(t, app, areas) : app, '127.0.0.1', 0)
  t.teardown(async () => {
    await server.close(0)
    await app.close()
  })
  const url = `http://127.0.0.1:${server.port}`
  return { url, app, ask: (request, given) => ask(url, request, given) }
}

/** Starts an ingress process with the `areas` of a module and more settings. Returns its base URL. */
export async function ingressProcess(
  t: Scope,
  databaseUrl: string,
  module: string,
  settings: Record<string, string> = {},
): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./ingress-process.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...settings, LOG_LEVEL: 'warn', INGRESS: JSON.stringify({ url: databaseUrl, module }) },
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
  })
  const [word] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => ['it ended'])])
  const port = /^ready (\d+)/.exec(String(word))?.[1]
  if (!port) throw new Error(`The ingress process did not start: ${word}`)
  return `http://127.0.0.1:${port}`
}

/** Creates an organisation with keys. Default: one server key `main` with `scopes`. */
export async function testOrg<Name extends string = 'main'>(
  db: DatabasePool,
  scopes: string[] = [],
  { plan = 'unlimited', keys }: { plan?: string; keys?: Record<Name, KeyRequest> } = {},
) {
  const wanted = keys ?? ({ main: { prefix: 'bt_live_', scopes } } as Record<Name, KeyRequest>)
  return await createOrg(db, `test ${plan}`, plan, wanted)
}

/** Returns the invalid fields of a 400. */
export const fieldsOf = (reply: Reply): string[] =>
  (reply.body.error.details as { field: string }[]).map(({ field }) => field).sort()
