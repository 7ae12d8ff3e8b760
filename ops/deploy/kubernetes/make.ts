/**
 * Generates the manifests from the pools and `workloads.ts`. Run it by hand: `node ops/deploy/kubernetes/make.ts`
 * writes base/, database/, migrate/ and haproxy/.
 */
import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { databaseObjects } from './database.ts'
import { haproxyIngress, haproxySettings } from './haproxy.ts'
import { ingressObjects } from './ingress.ts'
import { networkPolicies } from './network.ts'
import { nameOf, partOf, podOf } from './pod.ts'
import { workerObjects } from './workers.ts'
import { workloads } from './workloads.ts'

/** Settings that are not secret and the same for all pods. An overlay merges its values into them. */
const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'millrace', labels: partOf },
  data: { PORT: '8080', METRICS_PORT: '9464', LOG_LEVEL: 'info' },
}

/** KEDA uses the database of the pods. */
const authentication = {
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'TriggerAuthentication',
  metadata: { name: 'millrace', labels: partOf },
  spec: { secretTargetRef: [{ parameter: 'connection', name: 'millrace', key: 'DATABASE_URL' }] },
}

const { metadata, spec } = podOf({
  component: 'migrate',
  args: ['migrate'],
  cpu: { asked: '100m' },
  memory: { asked: '192Mi', most: '512Mi' },
  disk: '100Mi',
  graceSeconds: 30,
  probes: {},
})

/** A Job cannot be changed, so the Job of the last release is deleted first. */
const migration = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: nameOf('migrate'), labels: partOf },
  spec: {
    backoffLimit: 6,
    ttlSecondsAfterFinished: 86_400,
    template: { metadata, spec: { ...spec, restartPolicy: 'OnFailure' } },
  },
}

const kustomization = (resources: string[]) => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  resources,
})

const component = (resources: string[]) => ({
  apiVersion: 'kustomize.config.k8s.io/v1alpha1',
  kind: 'Component',
  resources,
})

const workers = Object.fromEntries(
  Object.entries(workloads).map(([name, workload]) => [`${name}.yaml`, workerObjects(name, workload)]),
)

const base: Record<string, object[]> = {
  'settings.yaml': [settings, authentication],
  'ingress.yaml': ingressObjects,
  'network.yaml': networkPolicies,
  ...workers,
}

const head = '# Made by `node ops/deploy/kubernetes/make.ts`; what differs between installations is an overlay’s.\n'

const text = (objects: object[]) =>
  head + objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n')

export const manifests: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(base).map(([name, objects]) => [`base/${name}`, text(objects)])),
  'base/kustomization.yaml': text([kustomization(Object.keys(base))]),
  'database/cluster.yaml': text(databaseObjects),
  'database/kustomization.yaml': text([kustomization(['cluster.yaml'])]),
  'migrate/job.yaml': text([migration]),
  'migrate/kustomization.yaml': text([kustomization(['job.yaml'])]),
  'haproxy/ingress.yaml': text([haproxyIngress]),
  'haproxy/kustomization.yaml': text([component(['ingress.yaml'])]),
  'haproxy/controller/settings.yaml': text([haproxySettings]),
  'haproxy/controller/kustomization.yaml': text([kustomization(['settings.yaml'])]),
}

if (import.meta.main)
  for (const [path, yaml] of Object.entries(manifests)) await writeFile(new URL(path, import.meta.url), yaml)
