import { allDeclarations } from '../../../workers/pools.ts'
import { buildPod, image, mounts, objectName, restricted, selectorOf } from './pod.ts'
import type { Workload } from './workloads.ts'

const declared = await allDeclarations()

export function workerObjects(component: string, workload: Workload): object[] {
  const { pools, replicas, ports = [], scanner } = workload
  const name = objectName(component)
  const labels = selectorOf(component)
  const fixed = 'fixed' in replicas
  const environment = { ...workload.environment, ...(scanner && { CLAMD_SOCKET: '/data/clamav/clamd.sock' }) }
  const pod = buildPod({
    ...workload,
    component,
    args: ['worker', '--pools', pools.join(',')],
    environment,
    ports,
    ...(scanner && { beside: [scannerContainer] }),
  })
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      // KEDA sets the number of scaled workers, so this file does not set it.
      ...(fixed && { replicas: replicas.fixed }),
      revisionHistoryLimit: 3,
      selector: { matchLabels: labels },
      strategy: fixed
        ? { type: 'Recreate' }
        : { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      template: pod,
    },
  }
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  }
  const outside = ports.filter(({ inside }) => !inside)
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels },
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      selector: labels,
      ports: outside.map(({ name, port, protocol = 'TCP' }) => ({ name, port, protocol, targetPort: name })),
    },
  }
  return [
    deployment,
    ...(fixed ? [] : [scaledObject(name, labels, workload)]),
    budget,
    ...(outside.length > 0 ? [service] : []),
  ]
}

/** Scales workers by depth and age of their queues, which are sampled each minute for the whole fleet. */
function scaledObject(name: string, labels: object, { pools, replicas }: Workload): object {
  if ('fixed' in replicas) throw new Error(`${name} has a fixed number of workers.`)
  const ours = pools.map((pool) => `'${pool}'`).join(', ')
  const latest = `from jobs.depths where pool in (${ours}) and at = (select max(at) from jobs.depths)`
  const trigger = (metricType: string, query: string, target: number) => ({
    type: 'postgresql',
    metricType,
    metadata: { query, targetQueryValue: String(target) },
    authenticationRef: { name: 'millrace' },
  })
  // A worker that is fully busy is not surplus.
  const hands = pools.reduce((sum, pool) => sum + (declared.get(pool)?.concurrency ?? 0), 0)
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name, labels },
    spec: {
      scaleTargetRef: { name },
      minReplicaCount: replicas.least,
      maxReplicaCount: replicas.most,
      pollingInterval: 30,
      // Used only while the database is down.
      fallback: { failureThreshold: 5, replicas: replicas.least },
      advanced: {
        horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } },
      },
      triggers: [
        trigger('AverageValue', `select coalesce(sum(waiting), 0)::integer ${latest}`, replicas.waiting),
        trigger('AverageValue', `select coalesce(sum(running), 0)::integer ${latest}`, hands),
        trigger('Value', `select coalesce(max(oldest_s), 0)::integer ${latest}`, replicas.lateSeconds),
      ],
    },
  }
}

const answers = ['/app/node_modules/node/bin/node', '/app/ops/deploy/entry.ts', 'health']

const scannerContainer = {
  name: 'scanner',
  image,
  args: ['scanner'],
  // This container starts before the worker and ends after it.
  restartPolicy: 'Always',
  env: [
    { name: 'MILLRACE_DATA', value: '/data' },
    { name: 'METRICS_PORT', value: '0' },
  ],
  startupProbe: { exec: { command: answers }, periodSeconds: 5, timeoutSeconds: 10, failureThreshold: 60 },
  // While clamd loads new signatures, it does not respond for up to a minute. Its own supervisor handles other
  // failures.
  livenessProbe: { exec: { command: answers }, periodSeconds: 60, timeoutSeconds: 10, failureThreshold: 5 },
  resources: { requests: { cpu: '250m', memory: '1600Mi' }, limits: { memory: '4Gi' } },
  securityContext: restricted,
  volumeMounts: mounts,
}
