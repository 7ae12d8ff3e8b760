import { workloads } from '../kubernetes/workloads.ts'
import { block, entry, expression, expressionYaml, optional, whole } from './placeholders.ts'

// biome-ignore lint/suspicious/noExplicitAny: an object of any kind.
type Manifest = any

const image = () => expression('include "millrace.image" .')

/** Returns the pod of a workload with the values of the chart. `own` are the values of the workload. */
export function podTemplate(pod: Manifest, own: string, { hasSettings = false } = {}): Manifest {
  const { containers, initContainers, volumes, ...rest } = pod.spec
  const [container] = containers
  const { restartPolicy, ...spec } = rest
  return {
    metadata: {
      ...pod.metadata,
      // New settings restart the pods.
      ...(!hasSettings && { annotations: { 'checksum/settings': expression('toJson .Values.settings | sha256sum') } }),
    },
    spec: {
      ...spec,
      ...optional('imagePullSecrets', '.Values.image.pullSecrets'),
      ...placed('nodeSelector', own),
      ...placed('tolerations', own),
      ...placed('affinity', own),
      ...placed('priorityClassName', own),
      ...(restartPolicy && { restartPolicy }),
      ...(initContainers && {
        initContainers: initContainers.map((one: Manifest) => ({
          ...withImage(one),
          resources: expressionYaml('.Values.scanner.resources'),
        })),
      }),
      containers: [
        { ...withImage(container), ...environmentOf(container, own, hasSettings), ...resources(own, container) },
      ],
      volumes: volumes.map((volume: Manifest) =>
        volume.name === 'data' && own
          ? { ...volume, emptyDir: { sizeLimit: expression(`${own}.disk | quote`) } }
          : volume,
      ),
    },
  }
}

const withImage = (container: Manifest): Manifest => {
  const { name, image: _, ...rest } = container
  return { name, image: image(), ...pullPolicy(), ...rest }
}

const pullPolicy = () =>
  block((indent) => [
    '{{- with .Values.image.pullPolicy }}',
    `${' '.repeat(indent)}imagePullPolicy: {{ . }}`,
    '{{- end }}',
  ])

const resources = (own: string, { resources }: Manifest) => ({
  resources: own ? expressionYaml(`${own}.resources`) : resources,
})

function environmentOf({ env, envFrom }: Manifest, own: string, hasSettings: boolean): Manifest {
  const [settings] = envFrom
  const secret = { secretRef: { name: expression('.Values.secretName') } }
  const more = entry((indent) => [
    `{{- with ${own ? `concat .Values.extraEnv ${own}.extraEnv` : '.Values.extraEnv'} }}`,
    `${' '.repeat(indent)}{{- toYaml . | nindent ${indent} }}`,
    '{{- end }}',
  ])
  // The job of the migration runs before the ConfigMap exists.
  const listed = entry((indent) => [
    '{{- range $name, $value := .Values.settings }}',
    `${' '.repeat(indent)}- { name: {{ $name }}, value: {{ include "millrace.text" $value | quote }} }`,
    '{{- end }}',
  ])
  return {
    envFrom: hasSettings ? [secret] : [settings, secret],
    env: [...(hasSettings ? [listed] : []), ...env, more],
  }
}

/** Returns a value of the workload, or of all workloads if the workload has none. */
function placed(name: string, own: string): Manifest {
  return optional(name, own ? `${own}.${name} | default .Values.${name}` : `.Values.${name}`)
}

export function deploymentTemplate(object: Manifest, own: string): Manifest {
  const { replicas, template, ...spec } = object.spec
  const name = object.metadata.labels['app.kubernetes.io/component']
  const unscaled = block((indent) => [
    '{{- if not .Values.keda.enabled }}',
    `${' '.repeat(indent)}replicas: {{ int ${own}.replicas.least }}`,
    '{{- end }}',
  ])
  const count = replicas !== undefined ? { replicas: whole(`${own}.replicas`) } : name in workloads ? unscaled : {}
  return { ...object, spec: { ...count, ...spec, template: podTemplate(template, own) } }
}
