import { haproxyIngress } from '../kubernetes/haproxy.ts'
import { block, entry, expression, expressionYaml, optional, whole } from './placeholders.ts'
import { podTemplate } from './pods.ts'

// biome-ignore lint/suspicious/noExplicitAny: an object of any kind.
type Manifest = any

export function scaledTemplate(object: Manifest, own: string): Manifest {
  const [waiting, running, late] = object.spec.triggers
  const target = (trigger: Manifest, field: string) => ({
    ...trigger,
    metadata: { ...trigger.metadata, targetQueryValue: expression(`int ${own}.replicas.${field} | quote`) },
  })
  return {
    ...object,
    spec: {
      ...object.spec,
      minReplicaCount: whole(`${own}.replicas.least`),
      maxReplicaCount: whole(`${own}.replicas.most`),
      fallback: { ...object.spec.fallback, replicas: whole(`${own}.replicas.least`) },
      triggers: [target(waiting, 'waiting'), running, target(late, 'lateSeconds')],
    },
  }
}

export function autoscalerTemplate(object: Manifest): Manifest {
  const target = { type: 'Utilization', averageUtilization: whole('.Values.ingress.replicas.cpuPercent') }
  return {
    ...object,
    spec: {
      ...object.spec,
      minReplicas: whole('.Values.ingress.replicas.least'),
      maxReplicas: whole('.Values.ingress.replicas.most'),
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  }
}

export function serviceTemplate(object: Manifest, own: string): Manifest {
  if (object.spec.type !== 'LoadBalancer') return object
  const { type: _, externalTrafficPolicy, ...spec } = object.spec
  const kept = block((indent) => [
    `{{- if ne ${own}.type "ClusterIP" }}`,
    `${' '.repeat(indent)}externalTrafficPolicy: ${externalTrafficPolicy}`,
    '{{- end }}',
  ])
  return {
    ...object,
    metadata: { ...object.metadata, ...optional('annotations', `${own}.annotations`) },
    spec: { type: expression(`${own}.type`), ...kept, ...spec },
  }
}

export function policyTemplate(object: Manifest): Manifest {
  const { name } = object.metadata
  const { ingress, egress } = object.spec
  if (name === 'millrace-metrics') {
    const namespace = { 'kubernetes.io/metadata.name': expression('.Values.networkPolicy.metricsNamespace') }
    const from = [{ namespaceSelector: { matchLabels: namespace } }]
    return { ...object, spec: { ...object.spec, ingress: [{ ...ingress[0], from }] } }
  }
  if (name !== 'millrace-database-and-storage') return object
  const more = entry((indent) => [
    '{{- with .Values.networkPolicy.extraEgress }}',
    `${' '.repeat(indent)}{{- toYaml . | nindent ${indent} }}`,
    '{{- end }}',
  ])
  return { ...object, spec: { ...object.spec, egress: [...egress, more] } }
}

export function publicIngressTemplate(): Manifest {
  const { rules } = haproxyIngress.spec
  const backend = JSON.stringify(rules[0]?.http.paths)
  const listed = block((indent) => [
    `${' '.repeat(indent)}rules:`,
    '{{- range .Values.publicIngress.hosts }}',
    `${' '.repeat(indent)}  - { host: {{ . | quote }}, http: { paths: ${backend} } }`,
    '{{- end }}',
  ])
  const { annotations, ...metadata } = haproxyIngress.metadata
  const all = block((indent) => [
    '{{- $usual := dict }}',
    '{{- if eq .Values.publicIngress.className "haproxy" }}',
    `{{- $usual = \`${JSON.stringify(annotations)}\` | fromJson }}`,
    '{{- end }}',
    '{{- with mergeOverwrite $usual .Values.publicIngress.annotations }}',
    `${' '.repeat(indent)}annotations: {{- toYaml . | nindent ${indent + 2} }}`,
    '{{- end }}',
  ])
  const tls = {
    hosts: expressionYaml('.Values.publicIngress.hosts'),
    secretName: expression('.Values.publicIngress.tlsSecretName'),
  }
  return {
    ...haproxyIngress,
    metadata: { ...metadata, ...all },
    spec: { ingressClassName: expression('.Values.publicIngress.className'), tls: [tls], ...listed },
  }
}

/** The migration is a hook, which runs before the objects of the release are changed. */
export function migrationTemplate(object: Manifest): Manifest {
  const annotations = {
    'helm.sh/hook': 'pre-install,pre-upgrade',
    'helm.sh/hook-weight': '0',
    // The job of the last release stays for its log until the next one.
    'helm.sh/hook-delete-policy': 'before-hook-creation',
  }
  return {
    ...object,
    metadata: { ...object.metadata, annotations },
    spec: {
      ...object.spec,
      backoffLimit: whole('.Values.migration.backoffLimit'),
      activeDeadlineSeconds: whole('.Values.migration.activeDeadlineSeconds'),
      template: podTemplate(object.spec.template, '', { hasSettings: true }),
    },
  }
}

export function settingsTemplate(object: Manifest): Manifest {
  const data = block((indent) => [
    `${' '.repeat(indent)}data:`,
    '{{- range $name, $value := .Values.settings }}',
    `${' '.repeat(indent + 2)}{{ $name }}: {{ include "millrace.text" $value | quote }}`,
    '{{- end }}',
  ])
  const { data: _, ...rest } = object
  return { ...rest, ...data }
}

export function authenticationTemplate(object: Manifest): Manifest {
  const [target] = object.spec.secretTargetRef
  return { ...object, spec: { secretTargetRef: [{ ...target, name: expression('.Values.secretName') }] } }
}
