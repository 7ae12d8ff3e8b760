import { config } from '#lib/config.ts'
import { duration } from '../output.ts'
import { readBackupInfo, type Stanza } from './backup-info.ts'
import { type Finding, fault, well } from './finding.ts'

const remedies: Readonly<Record<number, (stanza: string) => string>> = {
  1: (stanza) => `check BACKUP_STANZA and the repository; for a new repository run \`${of(stanza)} stanza-create\``,
  2: (stanza) => `run \`${of(stanza)} backup --type=full\`, and find out why its timer did not`,
  3: (stanza) => `run \`${of(stanza)} stanza-create\`; the repository has no stanza information`,
  4: (stanza) => `check each repository: \`${of(stanza)} info --repo=1\`, \`--repo=2\``,
  5: (stanza) => `run \`${of(stanza)} stanza-upgrade\`; the repositories belong to different databases`,
}

const of = (stanza: string) => `pgbackrest --stanza=${stanza}`

export async function checkBackup(): Promise<Finding> {
  const stanza = config.BACKUP_STANZA
  if (!stanza) return well('backup', 'not checked: BACKUP_STANZA is not set')
  return evaluateBackups(await readBackupInfo(stanza), config)
}

type Limits = Pick<typeof config, 'BACKUP_MAX_AGE_HOURS' | 'BACKUP_FULL_MAX_AGE_DAYS'>

export function evaluateBackups({ name: stanza, status, backup, repo }: Stanza, limits: Limits): Finding {
  if (status.code !== 0) {
    const each = repo
      .filter(({ status }) => status.code !== 0)
      .map((one) => `repository ${one.key}: ${one.status.message}`)
    const found = [`stanza ${stanza}: ${status.message}`, ...(repo.length > 1 || status.code === 99 ? each : [])].join(
      '; ',
    )
    return fault(
      'backup',
      found,
      (remedies[status.code] ?? ((name) => `run \`${of(name)} check\` for details`))(stanza),
    )
  }
  const last = newest(backup)
  const full = newest(backup.filter(({ type }) => type === 'full'))
  if (!last || !full) return fault('backup', `stanza ${stanza} has no full backup`, remedies[2]?.(stanza) ?? '')
  const held = status.lock?.backup?.held ? '; another is in progress' : ''
  const found = `the last full backup is ${age(full)} old, the last backup (${last.type}) ${age(last)}; ${backup.length} backups exist${held}`
  const late = [
    ...(hours(last) > limits.BACKUP_MAX_AGE_HOURS ? [`no backup is newer than ${limits.BACKUP_MAX_AGE_HOURS} h`] : []),
    ...(hours(full) > limits.BACKUP_FULL_MAX_AGE_DAYS * 24
      ? [`no full backup is newer than ${limits.BACKUP_FULL_MAX_AGE_DAYS} d`]
      : []),
  ]
  if (late.length > 0)
    return fault(
      'backup',
      `${late.join(', ')}: ${found}`,
      'check `systemctl list-timers "millrace-backup*"` and find out why they did not run',
    )
  if (last.error)
    return fault(
      'backup',
      `${last.label} contains pages with a wrong checksum: ${found}`,
      `run \`${of(stanza)} info --set=${last.label}\` and pg_amcheck`,
    )
  return well('backup', found)
}

type Backup = Stanza['backup'][number]

const newest = (all: readonly Backup[]): Backup | undefined =>
  all.reduce<Backup | undefined>(
    (best, one) => (best && best.timestamp.stop >= one.timestamp.stop ? best : one),
    undefined,
  )

const hours = ({ timestamp }: Backup) => Math.max(0, Date.now() / 1000 - timestamp.stop) / 3600
const age = (backup: Backup) => duration(hours(backup) * 3600)
