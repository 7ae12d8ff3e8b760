import { z } from 'zod'

/** The fields of CloudNativePG's kinds that are used, as its API reference has them (1.26). */
const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,49}$/)
const Quantity = z.string().regex(/^\d+(m|Ki|Mi|Gi|Ti)?$/)
const SecretKey = z.object({ name: Name, key: z.string().min(1) })
const Compression = z.enum(['gzip', 'bzip2', 'snappy', 'lz4', 'xz', 'zstd'])

const kind = <T extends z.ZodType>(apiVersion: string, name: string, spec: T) =>
  z.object({
    apiVersion: z.literal(apiVersion),
    kind: z.literal(name),
    metadata: z.object({ name: Name, labels: z.record(z.string(), z.string()) }),
    spec,
  })

const group = 'postgresql.cnpg.io/v1'

const Cluster = kind(
  group,
  'Cluster',
  z
    .object({
      instances: z.int().min(1),
      imageName: z.string(),
      bootstrap: z.object({
        initdb: z.object({
          database: z.string(),
          owner: z.string(),
          dataChecksums: z.boolean(),
          localeProvider: z.enum(['builtin', 'icu', 'libc']),
          builtinLocale: z.string(),
        }),
      }),
      postgresql: z.object({
        synchronous: z.object({
          method: z.enum(['any', 'first']),
          number: z.int().min(1),
          dataDurability: z.enum(['required', 'preferred']),
        }),
        parameters: z.record(z.string(), z.string()),
      }),
      affinity: z.object({ podAntiAffinityType: z.enum(['preferred', 'required']), topologyKey: z.string() }),
      switchoverDelay: z.int().min(0),
      storage: z.object({ size: Quantity }),
      walStorage: z.object({ size: Quantity }),
      resources: z.object({
        requests: z.record(z.enum(['cpu', 'memory']), Quantity),
        limits: z.partialRecord(z.enum(['cpu', 'memory']), Quantity),
      }),
      plugins: z.array(
        z.object({ name: z.string(), isWALArchiver: z.boolean(), parameters: z.record(z.string(), z.string()) }),
      ),
    })
    .refine(({ instances, postgresql }) => postgresql.synchronous.number < instances, 'more standbys than there are'),
)

/** Parameters of PgBouncer that a Pooler may set. */
const PoolerParameters = z.partialRecord(
  z.enum([
    'application_name_add_host',
    'client_idle_timeout',
    'client_login_timeout',
    'default_pool_size',
    'idle_transaction_timeout',
    'ignore_startup_parameters',
    'max_client_conn',
    'max_db_connections',
    'min_pool_size',
    'query_timeout',
    'query_wait_timeout',
    'server_check_delay',
    'server_connect_timeout',
    'server_idle_timeout',
    'server_lifetime',
    'server_login_retry',
  ]),
  z.string(),
)

const Pooler = kind(
  group,
  'Pooler',
  z.object({
    cluster: z.object({ name: Name }),
    instances: z.int().min(1),
    type: z.enum(['rw', 'ro', 'r']),
    pgbouncer: z.object({ poolMode: z.enum(['session', 'transaction']), parameters: PoolerParameters }),
  }),
)

const ScheduledBackup = kind(
  group,
  'ScheduledBackup',
  z.object({
    schedule: z.string().regex(/^(\S+ ){5}\S+$/, 'six fields'),
    immediate: z.boolean(),
    backupOwnerReference: z.enum(['none', 'self', 'cluster']),
    cluster: z.object({ name: Name }),
    method: z.enum(['barmanObjectStore', 'volumeSnapshot', 'plugin']),
    pluginConfiguration: z.object({ name: z.string() }),
  }),
)

const ObjectStore = kind(
  'barmancloud.cnpg.io/v1',
  'ObjectStore',
  z.object({
    retentionPolicy: z.string().regex(/^[1-9]\d*[dwm]$/),
    configuration: z.object({
      destinationPath: z.string().regex(/^s3:\/\//),
      endpointURL: z.url(),
      s3Credentials: z.object({ accessKeyId: SecretKey, secretAccessKey: SecretKey }),
      wal: z.object({ compression: Compression }),
      data: z.object({ compression: z.enum(['gzip', 'bzip2', 'snappy']) }),
    }),
  }),
)

const schemas = { Cluster, Pooler, ScheduledBackup, ObjectStore }

/** The kind's class, whose `validate` looks at itself, in the manner of `kubernetes-models`. */
export const classOf = (name: keyof typeof schemas) => async () => ({
  [name]: class {
    validate(): void {
      schemas[name].parse(this)
    }
  },
})
