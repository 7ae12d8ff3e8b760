import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { Environment } from '#lib/config.ts'
import { poolNames } from '#tasks/pools.ts'
import { beatSeconds } from '../../ingress/http/event-stream.ts'
import { haproxyIngress, haproxySettings } from '../../ops/deploy/kubernetes/haproxy.ts'
import { manifests } from '../../ops/deploy/kubernetes/make.ts'
import { workloads } from '../../ops/deploy/kubernetes/workloads.ts'
import { allDeclarations } from '../../workers/pools.ts'
import { type Kind, unknownFields } from '../support/strict-schema.ts'

const pools = await allDeclarations()
const folder = new URL('../../ops/deploy/kubernetes/', import.meta.url)

// biome-ignore lint/suspicious/noExplicitAny: an object of whatever kind.
type Manifest = any

/** Each kind's class, which knows its schema. */
const kinds: Record<string, () => Promise<Record<string, Kind>>> = {
  'apps/v1 Deployment': () => import('kubernetes-models/apps/v1/Deployment'),
  'autoscaling/v2 HorizontalPodAutoscaler': () => import('kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'),
  'batch/v1 Job': () => import('kubernetes-models/batch/v1/Job'),
  'networking.k8s.io/v1 Ingress': () => import('kubernetes-models/networking.k8s.io/v1/Ingress'),
  'networking.k8s.io/v1 NetworkPolicy': () => import('kubernetes-models/networking.k8s.io/v1/NetworkPolicy'),
  'policy/v1 PodDisruptionBudget': () => import('kubernetes-models/policy/v1/PodDisruptionBudget'),
  'v1 ConfigMap': () => import('kubernetes-models/v1/ConfigMap'),
  'v1 Service': () => import('kubernetes-models/v1/Service'),
  'keda.sh/v1alpha1 ScaledObject': () => import('@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'),
  'keda.sh/v1alpha1 TriggerAuthentication': () =>
    import('@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication'),
}

const objects: Manifest[] = Object.entries(manifests)
  .filter(([path]) => !path.endsWith('kustomization.yaml'))
  .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS()))
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
const named = (kind: string, name: string) => ofKind(kind).find(({ metadata }) => metadata.name === name)
const containerOf = (object: Manifest) => object.spec.template.spec.containers[0]

/** The pools that a Deployment's worker takes. */
function poolsOf(deployment: Manifest): string[] {
  const [word, flag, names] = containerOf(deployment).args
  return word === 'worker' && flag === '--pools' ? names.split(',') : []
}

t.test('the files are what is made now', async (t) => {
  for (const [path, text] of Object.entries(manifests)) {
    t.equal(await readFile(new URL(path, folder), 'utf8'), text, `${path}: run node ops/deploy/kubernetes/make.ts`)
  }
  const there = (await readdir(new URL('base/', folder))).map((name) => `base/${name}`).sort()
  t.same(
    there,
    Object.keys(manifests)
      .filter((path) => path.startsWith('base/'))
      .sort(),
    'and none is left over',
  )
})

/** The class of an object's kind. */
async function kindOf({ apiVersion, kind }: Manifest): Promise<Kind> {
  const load = kinds[`${apiVersion} ${kind}`]
  if (!load) throw new Error(`${apiVersion} ${kind} has no schema here.`)
  return (await load())[kind] as Kind
}

t.test('every object is one by the schemas of Kubernetes and KEDA, with no field that they do not know', async (t) => {
  for (const object of objects) {
    const kind = await kindOf(object)
    t.strictSame(unknownFields(kind, object), [], `${object.kind} ${object.metadata.name}`)
    const { spec, data, ...rest } = object
    t.throws(() => unknownFields(kind, { ...rest, spec: 5, data: 5 }), 'which would say so')
    if (spec)
      t.strictSame(
        unknownFields(kind, { ...rest, spec: { ...spec, sped: 1 } }),
        ['/spec/sped'],
        'of a misspelt one too',
      )
  }
  const keys = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  t.equal(new Set(keys).size, keys.length, 'no two have one name')
})

t.test(
  'HAProxy waits for the longest answer and for the next beat of a stream, and sends to a service that there is',
  async (t) => {
    const seconds = (text: string | undefined) => Number(/^(\d+)s$/.exec(text ?? '')?.[1])
    const { annotations } = haproxyIngress.metadata
    const { data } = haproxySettings
    const longest = Environment.shape.AI_TIMEOUT_MS.parse('80000') / 1000 + 5
    t.notOk(Environment.shape.AI_TIMEOUT_MS.safeParse('80001').success, 'the longest that an answer may be silent for')
    for (const timeout of [annotations['haproxy.org/timeout-server'], data['timeout-client']]) {
      t.ok(seconds(timeout) > longest, `${timeout}: an answer`)
      t.ok(seconds(timeout) > 2 * beatSeconds, `${timeout}: a stream`)
    }
    t.notOk(
      Object.keys({ ...annotations, ...data }).some((name) => name.includes('cookie')),
      'no client is tied to a pod',
    )
    for (const { http } of haproxyIngress.spec.rules) {
      for (const { backend } of http.paths) {
        const service = named('Service', backend.service.name)
        t.ok(service.spec.ports.some(({ name }: Manifest) => name === backend.service.port.name))
      }
    }
  },
)

/** What kustomize makes of a folder; undefined where there is no kubectl. */
async function built(path: string): Promise<Manifest[] | undefined> {
  try {
    const { stdout } = await promisify(execFile)('kubectl', ['kustomize', fileURLToPath(new URL(path, folder))], {
      maxBuffer: 2 ** 24,
    })
    return parseAllDocuments(stdout).map((document) => document.toJS())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

t.test('each example is built by kustomize into objects of those schemas, in its namespace', async (t) => {
  const counts: Record<string, number> = {}
  for (const path of ['example/platform', 'example/migrate', 'example/haproxy', 'haproxy/controller']) {
    const made = await built(path)
    if (!made) return t.comment('there is no kubectl here')
    counts[path] = made.length
    for (const object of made) {
      t.strictSame(unknownFields(await kindOf(object), object), [], `${path}: ${object.kind} ${object.metadata.name}`)
      t.equal(object.metadata.namespace, path === 'haproxy/controller' ? 'haproxy-controller' : 'millrace')
    }
  }
  t.equal(counts['example/haproxy'], (counts['example/platform'] ?? 0) + 1, 'HAProxy adds its Ingress')
})

t.test(
  'each pool has one Deployment, and one ScaledObject by its depth and age unless its number is fixed',
  async (t) => {
    t.same(ofKind('Deployment').flatMap(poolsOf).sort(), [...poolNames].sort())
    for (const [component, { pools: names, replicas }] of Object.entries(workloads)) {
      const deployment = named('Deployment', `millrace-${component}`)
      t.same(poolsOf(deployment), names)
      t.ok(named('PodDisruptionBudget', `millrace-${component}`))
      const scaled = ofKind('ScaledObject').filter(({ spec }) => spec.scaleTargetRef.name === `millrace-${component}`)
      if ('fixed' in replicas) {
        t.equal(deployment.spec.replicas, replicas.fixed)
        t.same(scaled, [], `${component} is not scaled`)
        continue
      }
      t.equal(scaled.length, 1, component)
      t.equal(deployment.spec.replicas, undefined, 'an apply does not undo what KEDA has set')
      const queries: string[] = scaled[0].spec.triggers.map(({ metadata }: Manifest) => metadata.query)
      t.match(queries, [/sum\(waiting\)/, /sum\(running\)/, /max\(oldest_s\)/])
      for (const pool of names) for (const query of queries) t.ok(query.includes(`'${pool}'`), `${component}: ${pool}`)
      const hands = names.reduce((sum, name) => sum + (pools.get(name)?.concurrency ?? Number.NaN), 0)
      t.equal(scaled[0].spec.triggers[1].metadata.targetQueryValue, String(hands))
    }
  },
)

t.test('pods are given variables that there are, and ports that those variables have', async (t) => {
  const known = Object.keys(Environment.shape)
  const settings = named('ConfigMap', 'millrace').data as Record<string, string>
  for (const pod of [...ofKind('Deployment'), ...ofKind('Job')]) {
    const container = containerOf(pod)
    const own = Object.fromEntries(container.env.map(({ name, value }: Manifest) => [name, value]))
    const { POD_IP, ...variables } = { ...settings, ...own }
    for (const name of Object.keys(variables)) t.ok(known.includes(name), `${pod.metadata.name}: ${name}`)
    const parsed = Environment.safeParse(variables)
    t.same(parsed.error?.issues ?? [], [], `${pod.metadata.name}: its values`)
    t.equal(parsed.data?.METRICS_PORT, container.ports[0].containerPort)
    const grace = ((parsed.data?.SHUTDOWN_DELAY_MS ?? 0) + (parsed.data?.SHUTDOWN_GRACE_MS ?? 0)) / 1000
    t.ok(pod.spec.template.spec.terminationGracePeriodSeconds > grace, `${pod.metadata.name} is not killed at its work`)
  }
  for (const { ports = [], environment = {} } of Object.values(workloads)) {
    const values = Environment.parse(environment) as Record<string, unknown>
    for (const { port, variable } of ports) {
      const [first, last = first] = String(values[variable]).split('-').map(Number)
      t.ok(port >= Number(first) && port <= Number(last), `${variable} has port ${port}`)
    }
  }
})

t.test('pods have no rights, no writable root and no network but what is named', async (t) => {
  for (const pod of [...ofKind('Deployment'), ...ofKind('Job')]) {
    const { spec } = pod.spec.template
    t.match(spec, { automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
    for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
      t.match(container.securityContext, {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      })
      t.ok(container.resources.limits.memory, `${pod.metadata.name}: memory has a limit`)
    }
  }
  const policies = ofKind('NetworkPolicy')
  t.same(named('NetworkPolicy', 'millrace-nothing-else').spec, {
    podSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'millrace' } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [],
    egress: [],
  })
  const reachesOut = (component: string) =>
    policies.some(
      ({ spec }) =>
        spec.podSelector.matchLabels['app.kubernetes.io/component'] === component &&
        JSON.stringify(spec.egress ?? []).includes('0.0.0.0/0'),
    )
  for (const [component, { internet }] of Object.entries(workloads))
    t.equal(reachesOut(component), internet !== 'none', component)
  t.notOk(reachesOut('media') || reachesOut('media-intake') || reachesOut('identity') || reachesOut('live'))
})
