import { type Workload, workloads } from '../kubernetes/workloads.ts'

/** Resources of a container as a chart names them. */
export const resourcesOf = ({ cpu, memory }: Pick<Workload, 'cpu' | 'memory'>) => ({
  requests: { cpu: cpu.asked, memory: memory.asked },
  limits: { ...(cpu.most && { cpu: cpu.most }), memory: memory.most },
})

/** Where pods run. Each workload can add its own values, which replace the common ones. */
export const placement = { nodeSelector: {}, tolerations: [], affinity: {}, priorityClassName: '' }

const servesOutside = ({ ports = [] }: Workload) => ports.some(({ inside }) => !inside)

const workerValues = (workload: Workload) => ({
  replicas: 'fixed' in workload.replicas ? workload.replicas.fixed : { ...workload.replicas },
  resources: resourcesOf(workload),
  disk: workload.disk,
  ...(servesOutside(workload) && { service: { type: 'LoadBalancer', annotations: {} } }),
  extraEnv: [],
  ...placement,
})

/** Default values of the chart. They give the objects of `kubernetes/base`. */
export const values = (settings: Readonly<Record<string, string>>) => ({
  image: { repository: 'millrace', tag: '', digest: '', pullPolicy: '', pullSecrets: [] },
  secretName: 'millrace',
  settings,
  extraEnv: [],
  ...placement,
  migration: { enabled: true, backoffLimit: 6, activeDeadlineSeconds: 3600 },
  ingress: {
    replicas: { least: 2, most: 20, cpuPercent: 65 },
    resources: { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '1Gi' } },
    disk: '1Gi',
    directService: { type: 'LoadBalancer', annotations: {} },
    extraEnv: [],
    ...placement,
  },
  publicIngress: {
    enabled: false,
    className: 'haproxy',
    hosts: ['api.example.com', 'app.example.com'],
    tlsSecretName: 'millrace-tls',
    annotations: {},
  },
  keda: { enabled: true },
  networkPolicy: { enabled: true, metricsNamespace: 'monitoring', extraEgress: [] },
  scanner: { resources: { requests: { cpu: '250m', memory: '1600Mi' }, limits: { memory: '4Gi' } } },
  workers: Object.fromEntries(Object.entries(workloads).map(([name, workload]) => [name, workerValues(workload)])),
})

export type ChartValues = ReturnType<typeof values>

/** Comments of values.yaml, by value. */
export const comments: Readonly<Record<string, string>> = {
  image: 'Image of all pods. With `digest`, such as sha256:…, the tag is not used.',
  secretName:
    'Secret with DATABASE_URL, SIGNING_SECRET, S3_ACCESS_KEY, S3_SECRET_KEY and other secret settings. Create it first.',
  settings: 'Settings that are not secret, such as PUBLIC_URL and S3_ENDPOINT. CONFIGURE.md lists all.',
  extraEnv: 'Additional variables of all pods: entries of `env`, which can refer to other secrets.',
  nodeSelector: 'Where all pods run. The same four values of a workload replace these.',
  migration: 'Updates the database before each installation and upgrade.',
  ingress: 'Pods that answer HTTP requests. `least` and `most` are the limits of the autoscaler.',
  publicIngress: 'An Ingress for the public host names. The annotations are for the controller of the class.',
  keda: 'Scales workers by their queues. Without KEDA, each workload has `least` workers.',
  networkPolicy:
    'Denies all connections that Millrace does not need. `extraEgress` adds rules, for example for a store on the internet.',
  scanner: 'The container with ClamAV in the pods of `scan`.',
  workers:
    'The workers of each group of pools. More are started if more than `waiting` jobs per worker wait, or the oldest job waits longer than `lateSeconds`.',
}
