import type { Port } from './workloads.ts'

export const partOf = { 'app.kubernetes.io/part-of': 'millrace' }

export const objectName = (component: string): string => `millrace-${component}`
export const selectorOf = (component: string) => ({ ...partOf, 'app.kubernetes.io/component': component })

export const metricsPort = 9464

/** Time in milliseconds in which load balancers detect that an ingress pod will exit. */
export const delayMs = 10_000

const user = 10_001

/** Additional time of a pod in seconds after its grace period, in which engines end and connections close. */
const marginSeconds = 15

interface PodFacts {
  component: string
  args: string[]
  cpu: { asked: string; most?: string }
  memory: { asked: string; most: string }
  disk: string
  delayMs?: number
  graceSeconds: number
  sandbox?: boolean
  environment?: Readonly<Record<string, string>>
  ports?: readonly Port[]
  probes?: Record<string, unknown>
  /** Containers that start before this container and keep running. */
  beside?: readonly object[]
}

export const restricted = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}

export const mounts = [
  { name: 'data', mountPath: '/data' },
  { name: 'tmp', mountPath: '/tmp' },
]

export const image = 'millrace'

export function buildPod(facts: PodFacts) {
  const { component, args, cpu, memory, disk, graceSeconds, environment = {}, ports = [] } = facts
  const podIp = Object.values(environment).some((value) => value.includes('$(POD_IP)'))
  const delay = facts.delayMs ?? 0
  return {
    metadata: { labels: selectorOf(component) },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: delay / 1000 + graceSeconds + marginSeconds,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
        fsGroup: user,
        // Engine runs create namespaces, which the default profile forbids.
        seccompProfile: facts.sandbox
          ? { type: 'Localhost', localhostProfile: 'millrace.json' }
          : { type: 'RuntimeDefault' },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: selectorOf(component) },
        },
      ],
      ...(facts.beside && { initContainers: facts.beside }),
      containers: [
        {
          name: 'millrace',
          image,
          args,
          envFrom: [{ configMapRef: { name: 'millrace' } }, { secretRef: { name: 'millrace' } }],
          env: [
            ...(podIp ? [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] : []),
            { name: 'PROCESS_NAME', value: component },
            { name: 'SHUTDOWN_GRACE_MS', value: String(graceSeconds * 1000) },
            ...(delay ? [{ name: 'SHUTDOWN_DELAY_MS', value: String(delay) }] : []),
            ...Object.entries(environment).map(([name, value]) => ({ name, value })),
          ],
          ports: [
            { name: 'metrics', containerPort: metricsPort },
            ...ports.map(({ name, port, protocol }) => ({ name, containerPort: port, ...(protocol && { protocol }) })),
          ],
          ...(facts.probes ?? workerProbes),
          resources: {
            requests: { cpu: cpu.asked, memory: memory.asked },
            limits: { ...(cpu.most && { cpu: cpu.most }), memory: memory.most },
          },
          securityContext: restricted,
          volumeMounts: mounts,
        },
      ],
      volumes: [
        { name: 'data', emptyDir: { sizeLimit: disk } },
        { name: 'tmp', emptyDir: { sizeLimit: '1Gi' } },
      ],
    },
  }
}

const alive = { httpGet: { path: '/healthz', port: 'metrics' }, timeoutSeconds: 5 }

/** A worker receives no traffic, so it only needs a liveness check. */
const workerProbes = {
  startupProbe: { ...alive, periodSeconds: 2, failureThreshold: 60 },
  livenessProbe: { ...alive, periodSeconds: 10, failureThreshold: 6 },
}
