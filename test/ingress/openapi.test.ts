import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import t from 'tap'
import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { Instant } from '../../ingress/http/instant.ts'
import { listRoute } from '../../ingress/http/lists/pagination.ts'
import { problem } from '../../ingress/http/problem-kinds.ts'
import { pathId } from '../../ingress/http/request/validate.ts'
import { route } from '../../ingress/http/route.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'

const Box = z.object({ id: z.guid(), created_at: Instant, size: z.number().optional() }).meta({ id: 'boxes.Box' })

const put = route({
  method: 'POST',
  path: '/boxes/{boxId}/lids',
  summary: 'Put a lid on',
  description: 'Puts a lid on a box.',
  scope: 'files:write',
  idempotent: { field: 'key' },
  status: 201,
  params: z.object({ boxId: pathId('box') }),
  body: z.strictObject({ size: z.number().default(1).describe('In centimetres'), key: z.string().optional() }),
  reply: Box,
  headers: { 'x-lids': 'Lids there are now' },
  problems: ['not_found', problem(409, 'box_is_shut', 'The box has a lid.')],
  example: { body: { size: 2 } },
  async handle({ params }) {
    return { id: params.boxId, created_at: new Date() }
  },
})

const list = listRoute({
  path: '/boxes',
  summary: 'List boxes',
  scope: 'files:read',
  otherParams: ['status'],
  query: { status: z.enum(['open', 'shut']).optional() },
  item: Box,
  rows: async () => [],
  present: (row: { id: string }) => ({ ...row, created_at: new Date() }),
})

const secret = route({
  method: 'GET',
  path: '/boxes/secret',
  summary: 'Not to be seen',
  public: true,
  hidden: true,
  status: 204,
  async handle() {},
})

const boxes = area({
  name: 'boxes',
  title: 'Boxes',
  description: 'Boxes with lids.',
  base: '/v1',
  platform: true,
  routes: { boxes: { put, list, secret } },
})

t.test('documents', async (t) => {
  const { db } = await testDatabase(t)
  const { ask, url } = await testIngress(t, db, [boxes])

  await t.test('say what the declarations say', async (t) => {
    const { body: document } = await ask('GET /v1/openapi.json')
    const operation = document.paths['/v1/boxes/{boxId}/lids'].post
    t.match(operation, {
      operationId: 'boxes.boxes.put',
      security: [{ bearer: ['files:write'] }, { apiKey: ['files:write'] }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            example: { size: 2 },
            schema: {
              additionalProperties: false,
              properties: { size: { default: 1, description: 'In centimetres' } },
            },
          },
        },
      },
      responses: {
        201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/boxes.Box' } } } },
        409: { description: /`conflict`[\s\S]*`box_is_shut`: The box has a lid/ },
        429: { headers: { 'retry-after': {} } },
        404: {},
        503: {},
      },
    })
    const names = operation.parameters.map((p: { name: string }) => p.name)
    t.strictSame(names, ['boxId', 'Idempotency-Key'])
    t.ok(operation.responses[201].headers['x-lids'])
    const component = document.components.schemas['boxes.Box']
    t.match(component, {
      properties: { created_at: { type: 'string', format: 'date-time' } },
      required: ['id', 'created_at'],
    })
    t.notOk('additionalProperties' in component, 'replies may gain fields')
    const query = document.paths['/v1/boxes'].get.parameters
    t.match(query[0], { name: 'limit', required: false, schema: { minimum: 1, maximum: 100, default: 20 } })
    t.notOk(document.paths['/v1/boxes/secret'], 'hidden routes are not documented')
    t.equal(new URL(document.servers[0].url, `${url}/v1/openapi.json`).origin, url)
  })

  await t.test('describe every operation', async (t) => {
    const { body: document } = await ask('GET /v1/openapi.json')
    const operations = Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item))
    t.ok(operations.length > 400)
    t.strictSame(
      operations.filter(({ description }) => !description).map(({ operationId }) => operationId),
      ['boxes.boxes.list'],
    )
  })

  await t.test('name every error code of the operations', async (t) => {
    const { body: document } = await ask('GET /v1/openapi.json')
    const { ErrorCode, ErrorResponse } = document.components.schemas
    t.strictSame(ErrorResponse.properties.error.properties.code, { $ref: '#/components/schemas/ErrorCode' })
    for (const code of ['bad_request', 'box_is_shut', 'key_expired', 'budget_reached'])
      t.ok(ErrorCode.enum.includes(code), code)
    t.notOk('Error' in document.components.schemas, 'no schema hides the global of a client')
  })

  await t.test('have patterns that Python compiles', async (t) => {
    const { text } = await ask('GET /v1/openapi.json')
    const patterns = new Set<string>()
    JSON.parse(text, (key, value) => {
      if (key === 'pattern' && typeof value === 'string') patterns.add(value)
      return value
    })
    t.ok(patterns.size > 30)
    const compile = 'import json, re, sys\nfor pattern in json.load(sys.stdin): re.compile(pattern)'
    const python = spawnSync('python3', ['-c', compile], { input: JSON.stringify([...patterns]), encoding: 'utf8' })
    t.equal(python.stderr, '')
    t.equal(python.status, 0)
  })

  await t.test(
    'of video hold the operations of its contract, and what goes beyond them stands in the whole one',
    async (t) => {
      const { body } = await ask('GET /v1/stream/openapi.json')
      t.strictSame(operationsOf(body), contract.toSorted())
      const whole = operationsOf((await ask('GET /v1/openapi.json')).body)
      for (const ours of ['DELETE /assets/{assetId}', 'GET /assets/{assetId}/quality']) t.ok(whole.includes(ours), ours)
    },
  )

  await t.test('refuse, in every request body and at every depth, fields that are not declared', async (t) => {
    const { body: document } = await ask('GET /v1/openapi.json')
    const bodies = Object.values<Record<string, Json>>(document.paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId, requestBody }) => (requestBody ? [{ operationId, requestBody }] : []))
    t.ok(bodies.length > 10)
    for (const { operationId, requestBody } of bodies) t.strictSame(openObjects(requestBody), [], operationId)
    t.strictSame(openObjects({ a: [{ type: 'object', properties: {} }] }), ['/a/0'], 'one that is open is seen')
  })

  await t.test('the catalogue lists every operation with its scope', async (t) => {
    const { body } = await ask('GET /v1')
    t.equal(body.version, '1.0.0')
    const own = body.areas.find((a: { name: string }) => a.name === 'boxes')
    t.match(own, { title: 'Boxes', base_path: '/v1' })
    t.strictSame(own.operations[1], {
      id: 'boxes.boxes.list',
      method: 'GET',
      path: '/v1/boxes',
      summary: 'List boxes',
      scope: 'files:read',
      test_keys: null,
    })
    t.notMatch(JSON.stringify(own), /secret/)
  })

  await t.test('their pages render in a browser without errors and without other hosts', async (t) => {
    const profile = await mkdtemp(join(tmpdir(), 'millrace-docs-'))
    const browser = await chromium.launchPersistentContext(profile, {
      executablePath: '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--headless',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
    t.teardown(async () => {
      await browser.close()
      await rm(profile, { recursive: true, force: true })
    })
    for (const [path, expected, endpoint] of [
      ['/v1/stream/docs', 'Check that the service is alive', '/v1/stream/health/live'],
      ['/docs/reference/boxes', 'Put a lid on', '/v1/boxes/{boxId}/lids'],
    ] as const) {
      const page = await browser.newPage()
      const troubles: string[] = []
      const hosts = new Set<string>()
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) troubles.push(message.text())
      })
      page.on('pageerror', (error) => troubles.push(String(error)))
      page.on('request', (request) => {
        if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin)
      })
      await page.goto(url + path)
      const link = page.locator('main').getByRole('link', { name: expected })
      await link.waitFor({ timeout: 20_000 })
      await link.click()
      await page.getByRole('heading', { name: expected }).waitFor({ timeout: 20_000 })
      t.equal(await page.locator('.operation > .endpoint code').textContent(), endpoint)
      t.strictSame(troubles, [])
      t.strictSame([...hosts], [url])
      await page.close()
    }
  })
})

t.test('the document of all areas is made once, and holds nobody up', async (t) => {
  const { db } = await testDatabase(t)
  const { url } = await testIngress(t, db)
  const ask = async () => await (await fetch(`${url}/v1/openapi.json`)).text()
  const used = () => process.threadCpuUsage().user / 1000
  const begun = used()
  let [last, longest, asking] = [begun, 0, true]
  const watch = () => {
    longest = Math.max(longest, used() - last)
    last = used()
    if (asking) setImmediate(watch)
  }
  watch()
  const first = await ask()
  asking = false
  const making = used() - begun
  t.ok(longest < making / 3, `${longest} ms of CPU in one turn, of ${making} ms`)
  const again = used()
  for (let i = 0; i < 5; i++) t.equal(await ask(), first)
  t.ok((used() - again) / 5 < making / 3, `${(used() - again) / 5} ms of CPU each, of ${making} ms`)
})

// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any shape.
type Json = any

function openObjects(schema: Json, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const isOpen = schema.type === 'object' && schema.additionalProperties === undefined
  // An example is a value, and the value can be a schema of the caller.
  const inner = Object.entries(schema)
    .filter(([name]) => name !== 'example' || !path.endsWith('/application/json'))
    .flatMap(([name, value]) => openObjects(value, `${path}/${name}`))
  return isOpen ? [path, ...inner] : inner
}

const contract = `
  GET /health  GET /health/live  GET /docs  GET /openapi.json
  POST /watermarks  GET /watermarks  GET /watermarks/{id}/image
  POST /uploads  GET /uploads/{uploadId}  DELETE /uploads/{uploadId}  POST /uploads/{uploadId}/parts/sign
  POST /uploads/{uploadId}/complete  POST /uploads/{uploadId}/pause  POST /uploads/{uploadId}/resume
  GET /assets  GET /assets/{assetId}  PATCH /assets/{assetId}  GET /assets/{assetId}/source
  POST /assets/{assetId}/captions  POST /assets/{assetId}/playback-sessions
  DELETE /assets/playback-sessions/{sessionId}
  POST /live/channels  GET /live/channels  GET /live/channels/{channelId}
  POST /live/channels/{channelId}/keys/rotate  POST /live/channels/{channelId}/playback-sessions
  POST /rooms  GET /rooms  DELETE /rooms/{roomId}  POST /rooms/{roomId}/tokens  GET /rooms/{roomId}/participants
  POST /rooms/{roomId}/broadcast
  POST /domains  GET /domains  GET /domains/{domainId}  DELETE /domains/{domainId}  POST /domains/{domainId}/verify
  POST /collect`
  .trim()
  .split(/\s{2,}/)

function operationsOf({ paths }: { paths: Record<string, Record<string, unknown>> }): string[] {
  const video = Object.entries(paths).filter(([path]) => path.startsWith('/v1/stream/'))
  return video
    .flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => /^(get|post|patch|put|delete)$/.test(method))
        .map((method) => `${method.toUpperCase()} ${path.slice('/v1/stream'.length)}`),
    )
    .sort()
}
