import { Environment } from '#lib/config.ts'
import type { ChartValues } from './values.ts'

const object = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})

const name = { type: 'string', pattern: '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$' }
const quantity = { type: ['string', 'integer'], pattern: '^[0-9]+(\\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$' }
const count = (minimum: number, maximum = 1_000_000) => ({ type: 'integer', minimum, maximum })
const free = { type: 'object' }
const texts = { type: 'object', additionalProperties: { type: 'string' } }
const list = { type: 'array', items: { type: 'object' } }

const amounts = { type: 'object', additionalProperties: quantity }
const resources = object({ requests: amounts, limits: amounts }, ['requests', 'limits'])

const placement = {
  nodeSelector: texts,
  tolerations: list,
  affinity: free,
  priorityClassName: { type: 'string' },
}

const service = object({ type: { enum: ['LoadBalancer', 'NodePort', 'ClusterIP'] }, annotations: texts })
const variables = {
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
}
const hosts = { type: 'array', minItems: 1, items: name }
const text = { type: ['string', 'integer', 'boolean'] }
const number = { type: ['string', 'integer', 'number'], pattern: '^-?[0-9]+([.][0-9]+)?$' }

/** True if the setting accepts numbers, and no word. */
function isNumeric(name: string): boolean {
  const one = (Environment.shape as Record<string, { safeParse(value: unknown): { success: boolean } }>)[name]
  const accepts = (value: string) => one?.safeParse(value).success === true
  return ['0', '1', '100'].some(accepts) && !accepts('many') && !accepts('true')
}
const scaled = object({ least: count(1), most: count(1), waiting: count(1), lateSeconds: count(1) })

const workerSchema = (worker: { replicas: number | object; service?: object }) =>
  object({
    replicas: typeof worker.replicas === 'number' ? count(0, 1) : scaled,
    resources,
    disk: quantity,
    ...(worker.service && { service }),
    extraEnv: variables,
    ...placement,
  })

/** Settings with secrets belong to the Secret, because everyone who can read the release can read the values. */
const isSecret = (setting: string): boolean =>
  /(SECRET|PASSWORDS?|CREDENTIALS|_TOKEN|(ACCESS|SECRET|API|HMAC|AUTH|BROWSING)_KEY)$|^DATABASE_(\w+_)?URL$/.test(
    setting,
  )

/** Returns the schema of the values. Helm checks them before it changes anything. */
export function schema(values: ChartValues): object {
  const settings = Object.keys(Environment.shape).filter((one) => !isSecret(one))
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object(
      {
        image: object({
          repository: { type: 'string', minLength: 1 },
          tag: { type: ['string', 'integer', 'number'] },
          digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
          pullPolicy: { enum: ['', 'Always', 'IfNotPresent', 'Never'] },
          pullSecrets: { type: 'array', items: object({ name }) },
        }),
        secretName: name,
        settings: {
          type: 'object',
          additionalProperties: false,
          properties: Object.fromEntries(settings.map((one) => [one, isNumeric(one) ? number : text])),
        },
        extraEnv: variables,
        ...placement,
        migration: object({ enabled: { type: 'boolean' }, backoffLimit: count(0), activeDeadlineSeconds: count(1) }),
        ingress: object({
          replicas: object({ least: count(1), most: count(1), cpuPercent: count(1, 100) }),
          resources,
          disk: quantity,
          directService: service,
          extraEnv: variables,
          ...placement,
        }),
        publicIngress: object({
          enabled: { type: 'boolean' },
          className: name,
          hosts,
          tlsSecretName: name,
          annotations: texts,
        }),
        keda: object({ enabled: { type: 'boolean' } }),
        networkPolicy: object({ enabled: { type: 'boolean' }, metricsNamespace: name, extraEgress: list }),
        scanner: object({ resources }),
        workers: object(
          Object.fromEntries(Object.entries(values.workers).map(([key, worker]) => [key, workerSchema(worker)])),
        ),
        global: free,
      },
      ['global'],
    ),
  }
}
