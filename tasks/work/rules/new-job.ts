import type { Job, Retries } from '#sql/work/jobs.ts'

/** A job to create. The caller has checked the URL with `demandJobUrls`, and all sizes. */
export interface NewJob {
  url: string
  /** Default: `POST`. */
  method?: Job['method'] | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Text, or JSON as text with its type. */
  body?: { text: string; type: 'json' | 'text' } | undefined
  /** Default: now. */
  runAt?: Date | undefined
  retries?: Retries | undefined
  timeoutMs?: number | undefined
  dedupeKey?: string | undefined
  /** Time for which the key returns this job. Default: one day. */
  dedupeSeconds?: number | undefined
  /** Maximum number of jobs with this key that run at the same time. */
  concurrency?: { key: string; limit: number } | undefined
  rate?: { key: string; limit: number; per: 'second' | 'minute' | 'hour' } | undefined
  group?: string | undefined
  /** What has created the job, if it is not a request. */
  origin?: { kind: 'schedule' | 'flow' | 'source' | 'rule'; id: string } | undefined
  /** Time of the schedule’s run that creates the job. */
  scheduledFor?: Date | undefined
  /** Number of jobs that must end before this job can start. The job is `blocked` until then. */
  blockedBy?: number | undefined
}
