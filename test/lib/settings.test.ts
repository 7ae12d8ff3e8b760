import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Environment } from '#lib/config.ts'

/** Settings that no test, deployment, trial or example sets, by why an operator needs them. */
const needed: Record<string, string> = {
  'how long data is kept is a legal decision of the operator': `REQUEST_LOG_DAYS CLOSURE_DAYS ROOMS_RETENTION_DAYS
    SCAN_HISTORY_DAYS FILE_CHANGES_DAYS EMAIL_CONTENT_DAYS EMAIL_MESSAGE_DAYS WEBHOOK_LOG_DAYS NOTIFY_INBOX_DAYS
    PUSH_HISTORY_DAYS AI_EMBEDDINGS_DAYS BOTS_RETENTION_DAYS WHATSAPP_HISTORY_DAYS WIKI_SNAPSHOT_DAYS
    VOICE_HISTORY_DAYS SMS_HISTORY_DAYS CALL_HISTORY_DAYS INTAKE_DAYS LOG_STREAM_DAYS`,
  'certificates, keys and data files are the operator’s own': `ACME_EAB_KEY_ID ACME_EAB_HMAC_KEY
    SIP_TLS_CERT SIP_TLS_KEY SIP_TLS_CA GEO_MMDB_PATH GEO_ASN_MMDB_PATH GEO_TOR_LIST_PATH
    GEO_HOSTING_LIST_PATH GEO_VPN_LIST_PATH IDENTITY_CATALOGUE`,
  'names, addresses and paths differ between networks and systems': `WHISPER_PATH WHISPER_MODEL LIVE_STREAM_MODULE
    CLAMD_PORT MAIL_SPF_INCLUDE PUSH_SUBJECT FACE_IMAGES_HOST FACE_IMAGES_PORT SIP_PUBLIC_ADDRESS
    WHATSAPP_API_VERSION WHATSAPP_MEDIA_HOSTS AI_MODERATION_MODEL SMS_VONAGE_API SECURITY_POLICY_URL`,
  'capacity depends on the machine': `DATABASE_SEARCH_POOL DATABASE_REPLICA_POOL LIVE_CONCURRENCY WHIP_KILOBITS
    WHIP_PUBLISHERS WHEP_VIEWERS PUSH_CONCURRENCY GUARD_STOCK_HIGH AI_EMBEDDINGS_MOST AI_CACHE_MOST WEB_CONCURRENCY
    AI_VECTOR_STORE_BYTES
    WHATSAPP_CONCURRENCY FACE_PLACES SIP_CONCURRENCY SIP_CAPACITY SMS_CONCURRENCY CALL_CONCURRENCY LOG_STREAM_CONCURRENCY
    LOG_STREAM_RECORDS`,
  'limits depend on a provider or on the standby': `SIP_CALLS_PER_SECOND DATABASE_REPLICA_LAG_SECONDS
    MAIL_INBOUND_BYTES SMS_TIMEOUT_MS BOTS_DOCUMENT_CHARACTERS BOTS_HISTORY_CHARACTERS OTEL_TRACES_SAMPLER_ARG`,
  'fraud limits and risks are decisions of the operator': `VOICE_COUNTRIES VOICE_MAX_CONCURRENT VOICE_MAX_PER_DAY
    WHATSAPP_ASSUME_OPEN`,
}

const root = fileURLToPath(new URL('../..', import.meta.url))

function words(pattern: string, ...paths: string[]): Set<string> {
  const args = ['grep', '--no-index', '--exclude-standard', '-hoE', pattern, '--', ...paths]
  return new Set(execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n'))
}

t.test('each setting is set somewhere, or an operator needs it', async (t) => {
  const used = words(
    '\\b[A-Z][A-Z0-9_]{3,}\\b',
    ...['start', 'deploy', 'trials', 'embedded', 'tour', 'setup.sh'].map((name) => `ops/${name}`),
    'test',
    'sdk',
    ':!*.md',
    ':!ops/deploy/helm/millrace/values.schema.json',
    ':!test/lib/settings.test.ts',
  )
  const examples = words('\\b[A-Z][A-Z0-9_]{3,}=', '*.md', ':!ops/CONFIGURE.md')
  const unset = Object.keys(Environment.shape).filter((name) => !used.has(name) && !examples.has(`${name}=`))
  t.same(
    unset.sort(),
    Object.values(needed)
      .flatMap((names) => names.split(/\s+/))
      .sort(),
    'delete a setting that nobody needs, and put its value where it is used',
  )
})
