import { readdir, readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { Environment } from '#lib/config.ts'
import { files } from '../../ops/deploy/helm/make.ts'

const folder = new URL('../../ops/deploy/helm/millrace/', import.meta.url)
const schema = JSON.parse(files['values.schema.json'] ?? '')
const usual = () => parse(files['values.yaml'] ?? '')

t.test('the files of the chart are generated from the current workloads', async (t) => {
  for (const [path, text] of Object.entries(files))
    t.equal(await readFile(new URL(path, folder), 'utf8'), text, `${path}: run node ops/deploy/helm/make.ts`)
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  t.equal(found.length, Object.keys(files).length)
})

t.test('the schema accepts the default values and names each wrong value', async (t) => {
  const check = new Ajv({ strict: false, allErrors: true }).compile(schema)
  t.ok(check(usual()), JSON.stringify(check.errors))
  const wrong: [string, (values: ReturnType<typeof usual>) => void][] = [
    ['/workers/core/replicas/least', (values) => Object.assign(values.workers.core.replicas, { least: 0 })],
    ['/workers/voice/replicas', (values) => Object.assign(values.workers.voice, { replicas: 2 })],
    ['/workers', (values) => Object.assign(values.workers, { cor: values.workers.core })],
    [
      '/workers/media/resources/limits/memory',
      (values) => Object.assign(values.workers.media.resources.limits, { memory: '6 GB' }),
    ],
    ['/image/digest', (values) => Object.assign(values.image, { digest: 'latest' })],
    ['/settings', (values) => Object.assign(values.settings, { PUBLIC_ULR: 'https://api.example.com' })],
    ['/settings/DATABASE_POOL', (values) => Object.assign(values.settings, { DATABASE_POOL: 'many' })],
    ['/settings', (values) => Object.assign(values.settings, { SIGNING_SECRET: 'x'.repeat(64) })],
    ['/publicIngress/hosts/0', (values) => Object.assign(values.publicIngress, { hosts: ['https://api.example.com'] })],
    ['/ingress/directService/type', (values) => Object.assign(values.ingress.directService, { type: 'External' })],
    ['/keda/enabled', (values) => Object.assign(values.keda, { enabled: 'yes' })],
  ]
  for (const [path, change] of wrong) {
    const values = usual()
    change(values)
    t.notOk(check(values), path)
    t.ok(
      check.errors?.some(({ instancePath }) => instancePath === path),
      `${path}: ${JSON.stringify(check.errors)}`,
    )
  }
})

t.test('settings of the chart are settings of Millrace, and none is a secret', async (t) => {
  const names = Object.keys(schema.properties.settings.properties)
  for (const name of ['PUBLIC_URL', 'S3_ENDPOINT', 'MAIL_TLS_KEY', 'DATABASE_POOL']) t.ok(names.includes(name), name)
  const secrets =
    'DATABASE_URL DATABASE_POOLED_URL DATABASE_REPLICA_URL S3_ACCESS_KEY S3_SECRET_KEY SIGNING_SECRET METRICS_TOKEN'
  for (const name of [...secrets.split(' '), 'AI_API_KEY', 'SIP_PASSWORDS', 'WHATSAPP_APP_SECRET']) {
    t.ok(name in Environment.shape, name)
    t.notOk(names.includes(name), name)
  }
})
