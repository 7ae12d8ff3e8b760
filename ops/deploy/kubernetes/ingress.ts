import { buildPod, delayMs, objectName, selectorOf } from './pod.ts'
import type { Port } from './workloads.ts'

const component = 'ingress'
const name = objectName(component)
const labels = selectorOf(component)

export const ingressPorts: readonly Port[] = [
  { name: 'http', port: 8080, variable: 'PORT' },
  { name: 'tls', port: 8443, variable: 'TLS_PORT' },
  { name: 'smtp', port: 2525, variable: 'MAIL_INBOUND_PORT' },
  { name: 'submission', port: 2587, variable: 'MAIL_SUBMISSION_PORT' },
  { name: 'submissions', port: 2465, variable: 'MAIL_SUBMISSIONS_PORT' },
]

const asks = (path: string) => ({ httpGet: { path, port: 'http' }, timeoutSeconds: 5 })

const pod = buildPod({
  component,
  args: ['ingress'],
  cpu: { asked: '500m' },
  memory: { asked: '512Mi', most: '1Gi' },
  disk: '1Gi',
  delayMs,
  graceSeconds: 45,
  ports: ingressPorts,
  environment: {
    TLS_PORT: '8443',
    TLS_PUBLIC_PORT: '443',
    MAIL_INBOUND_PORT: '2525',
    // Without a certificate, the two ports stay closed.
    MAIL_SUBMISSION_PORT: '2587',
    MAIL_SUBMISSION_PUBLIC_PORT: '587',
    MAIL_SUBMISSIONS_PORT: '2465',
    MAIL_SUBMISSIONS_PUBLIC_PORT: '465',
  },
  probes: {
    startupProbe: { ...asks('/healthz'), periodSeconds: 2, failureThreshold: 60 },
    // The pod is not ready until the release's migrations have run, while a part is unavailable, and after SIGTERM.
    readinessProbe: { ...asks('/readyz'), periodSeconds: 2, failureThreshold: 2 },
    livenessProbe: { ...asks('/healthz'), periodSeconds: 10, failureThreshold: 6 },
  },
})

const service = (kind: string, names: readonly string[], spec: object, as: Record<string, number>) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: kind, labels },
  spec: {
    ...spec,
    selector: labels,
    ports: ingressPorts
      .filter((port) => names.includes(port.name))
      .map(({ name, port }) => ({ name, port: as[name] ?? port, targetPort: name })),
  },
})

export const ingressObjects: object[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      revisionHistoryLimit: 3,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: pod,
    },
  },
  service(name, ['http'], { type: 'ClusterIP' }, { http: 80 }),
  // video domains, bounces and email by SMTP bypass the load balancer, because TLS ends here and the senders' IP addresses
  // are needed here.
  service(
    `${name}-direct`,
    ['tls', 'smtp', 'submission', 'submissions'],
    { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
    { tls: 443, smtp: 25, submission: 587, submissions: 465 },
  ),
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, labels },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: 2,
      maxReplicas: 20,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 65 } } },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  },
]
