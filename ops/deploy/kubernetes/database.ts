import { partOf } from './pod.ts'

/** Name of the database's objects. Its services are this name, `-rw` and `-ro`. */
const name = 'millrace-db'

/** Maximum number of connections of the instances: for the poolers, and one for each session of the workers. */
const maxConnections = 300

const metadata = (own: string) => ({ name: own, labels: partOf })

const backup = 'barman-cloud.cloudnative-pg.io'

/** Three instances. One synchronous standby stores each commit, like `patroni/` on your own hosts. */
const cluster = {
  apiVersion: 'postgresql.cnpg.io/v1',
  kind: 'Cluster',
  metadata: metadata(name),
  spec: {
    instances: 3,
    imageName: 'ghcr.io/cloudnative-pg/postgresql:17',
    bootstrap: {
      initdb: {
        database: 'millrace',
        owner: 'millrace',
        dataChecksums: true,
        localeProvider: 'builtin',
        builtinLocale: 'C.UTF-8',
      },
    },
    postgresql: {
      // With `required`, a primary without a standby confirms no commit, so that no confirmed write exists on only one
      // host.
      synchronous: { method: 'any', number: 1, dataDurability: 'required' },
      parameters: { max_connections: String(maxConnections) },
    },
    // One instance per host, because two instances on one host would fail together.
    affinity: { podAntiAffinityType: 'required', topologyKey: 'kubernetes.io/hostname' },
    // Time in seconds that the old primary has to stop before it is killed. With a synchronous standby, nothing is
    // lost.
    switchoverDelay: 30,
    storage: { size: '100Gi' },
    walStorage: { size: '20Gi' },
    resources: { requests: { cpu: '2', memory: '4Gi' }, limits: { memory: '4Gi' } },
    plugins: [{ name: backup, isWALArchiver: true, parameters: { barmanObjectName: name } }],
  },
}

/** PgBouncer in transaction mode, for `DATABASE_POOLED_URL`, with the numbers of `postgres/pgbouncer.ini`. */
const pooler = {
  apiVersion: 'postgresql.cnpg.io/v1',
  kind: 'Pooler',
  metadata: metadata(`${name}-pooled`),
  spec: {
    cluster: { name },
    instances: 2,
    type: 'rw',
    pgbouncer: {
      poolMode: 'transaction',
      parameters: {
        max_client_conn: '2000',
        default_pool_size: '20',
        ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout',
        idle_transaction_timeout: '10',
        query_timeout: '60',
        query_wait_timeout: '10',
        server_connect_timeout: '3',
        server_login_retry: '1',
      },
    },
  },
}

const store = {
  apiVersion: 'barmancloud.cnpg.io/v1',
  kind: 'ObjectStore',
  metadata: metadata(name),
  spec: {
    retentionPolicy: '14d',
    configuration: {
      destinationPath: 's3://millrace-backups/',
      endpointURL: 'http://store.storage.svc:9000',
      s3Credentials: {
        accessKeyId: { name: 'millrace-backups', key: 'ACCESS_KEY_ID' },
        secretAccessKey: { name: 'millrace-backups', key: 'SECRET_ACCESS_KEY' },
      },
      wal: { compression: 'gzip' },
      data: { compression: 'gzip' },
    },
  },
}

const schedule = {
  apiVersion: 'postgresql.cnpg.io/v1',
  kind: 'ScheduledBackup',
  metadata: metadata(name),
  spec: {
    // Daily at three. The first of the six fields is seconds.
    schedule: '0 0 3 * * *',
    immediate: true,
    backupOwnerReference: 'self',
    cluster: { name },
    method: 'plugin',
    pluginConfiguration: { name: backup },
  },
}

export const databaseObjects: object[] = [cluster, pooler, store, schedule]
