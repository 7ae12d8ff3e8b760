import { z } from 'zod'

/** The fields of CloudNativePG's kinds that are used, as its API reference has them (1.26): any other is a mistake. */
const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,49}$/)
const Quantity = z.string().regex(/^\d+(m|Ki|Mi|Gi|Ti)?$/)
const SecretKey = z.strictObject({ name: Name, key: z.string().min(1) })
const Compression = z.enum(['gzip', 'bzip2', 'snappy', 'lz4', 'xz', 'zstd'])

const kind = <T extends z.ZodType>(apiVersion: string, name: string, spec: T) =>
  z.strictObject({
    apiVersion: z.literal(apiVersion),
    kind: z.literal(name),
    metadata: z.strictObject({ name: Name, labels: z.record(z.string(), z.string()) }),
    spec,
  })

const group = 'postgresql.cnpg.io/v1'

const Cluster = kind(
  group,
  'Cluster',
  z
    .strictObject({
      instances: z.int().min(1),
      imageName: z.string(),
      bootstrap: z.strictObject({
        initdb: z.strictObject({
          database: z.string(),
          owner: z.string(),
          dataChecksums: z.boolean(),
          localeProvider: z.enum(['builtin', 'icu', 'libc']),
          builtinLocale: z.string(),
        }),
      }),
      postgresql: z.strictObject({
        synchronous: z.strictObject({
          method: z.enum(['any', 'first']),
          number: z.int().min(1),
          dataDurability: z.enum(['required', 'preferred']),
        }),
        parameters: z.record(z.string(), z.string()),
      }),
      affinity: z.strictObject({ podAntiAffinityType: z.enum(['preferred', 'required']), topologyKey: z.string() }),
      switchoverDelay: z.int().min(0),
      storage: z.strictObject({ size: Quantity }),
      walStorage: z.strictObject({ size: Quantity }),
      resources: z.strictObject({
        requests: z.record(z.enum(['cpu', 'memory']), Quantity),
        limits: z.partialRecord(z.enum(['cpu', 'memory']), Quantity),
      }),
      plugins: z.array(
        z.strictObject({ name: z.string(), isWALArchiver: z.boolean(), parameters: z.record(z.string(), z.string()) }),
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
  z.strictObject({
    cluster: z.strictObject({ name: Name }),
    instances: z.int().min(1),
    type: z.enum(['rw', 'ro', 'r']),
    pgbouncer: z.strictObject({ poolMode: z.enum(['session', 'transaction']), parameters: PoolerParameters }),
  }),
)

const ScheduledBackup = kind(
  group,
  'ScheduledBackup',
  z.strictObject({
    schedule: z.string().regex(/^(\S+ ){5}\S+$/, 'six fields'),
    immediate: z.boolean(),
    backupOwnerReference: z.enum(['none', 'self', 'cluster']),
    cluster: z.strictObject({ name: Name }),
    method: z.enum(['barmanObjectStore', 'volumeSnapshot', 'plugin']),
    pluginConfiguration: z.strictObject({ name: z.string() }),
  }),
)

const ObjectStore = kind(
  'barmancloud.cnpg.io/v1',
  'ObjectStore',
  z.strictObject({
    retentionPolicy: z.string().regex(/^[1-9]\d*[dwm]$/),
    configuration: z.strictObject({
      destinationPath: z.string().regex(/^s3:\/\//),
      endpointURL: z.url(),
      s3Credentials: z.strictObject({ accessKeyId: SecretKey, secretAccessKey: SecretKey }),
      wal: z.strictObject({ compression: Compression }),
      data: z.strictObject({ compression: z.enum(['gzip', 'bzip2', 'snappy']) }),
    }),
  }),
)

const schemas = { Cluster, Pooler, ScheduledBackup, ObjectStore }

/** The kind's class, in the manner of `kubernetes-models`. */
export const classOf = (name: keyof typeof schemas) => async () => ({
  [name]: class {
    readonly #data: unknown
    constructor(data: never) {
      this.#data = data
    }
    validate(): void {
      schemas[name].parse(this.#data)
    }
  },
})
