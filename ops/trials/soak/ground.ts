import { join } from 'node:path'
import { superuserUrl } from '../../embedded/postgres.ts'
import { startMail } from '../../start/mail.ts'
import * as parts from '../../start/parts.ts'
import { preferPort } from '../../start/ports.ts'
import { startScanner } from '../../start/scanner.ts'
import { type Part, supervise } from '../../start/supervise.ts'
import type { Actor } from '../chaos/actor.ts'
import { type StageGround, type StageLocation, singleServerDatabase } from '../chaos/ground.ts'

export interface SoakProcesses {
  ground: StageGround
  found(): MeasurementAccess
}

export interface MeasurementAccess {
  postgres: Actor | undefined
  /** URL of the platform's database for the superuser, who can inspect pages. */
  superuser: string
  mailUrl: string | undefined
  scans: boolean
  metrics: Record<string, number>
}

const host = '127.0.0.1'

/** Connections of Postgres. Two ingresses and three workers use 150. */
const maxConnections = 200

/** The ground of the chaos test with an email catcher, a scanner, and a metrics port for each process. */
export async function createSoakEnvironment(workers: number): Promise<SoakProcesses> {
  const metrics: Record<string, number> = {}
  const names = ['ingress', ...Array.from({ length: workers }, (_, i) => `worker-${i + 1}`)]
  for (const name of names) metrics[name] = await preferPort(host, undefined)
  let found: MeasurementAccess | undefined
  return {
    found() {
      if (!found) throw new Error('The stage is not running.')
      return found
    },
    ground: {
      host,
      async database(site) {
        const own = await singleServerDatabase(host, maxConnections)(site)
        const mail = await startMail({ data: site.folder, last: {}, start: each(site) }, own.url)
        const scanner = await startScanner(site.folder, launcher(site), ended(site.ends))
        const { port, pathname } = new URL(own.url)
        const superuser = new URL(
          superuserUrl({ dir: '', host, port: Number(port), password: site.secrets.postgres_password }),
        )
        superuser.pathname = pathname
        found = {
          postgres: own.postgres,
          superuser: superuser.href,
          mailUrl: mail.mail_url,
          scans: !scanner.off,
          metrics,
        }
        const METRICS_PORT = String(metrics.ingress)
        const outbound = { OUTBOUND_ALLOWED: host, WEBHOOK_HTTP: 'true' }
        return { ...own, settings: { ...own.settings, ...mail.env, ...scanner.env, ...outbound, METRICS_PORT } }
      },
      place: (part) => ({ ...part, env: { ...part.env, METRICS_PORT: String(metrics[part.name]) } }),
    },
  }
}

const each =
  ({ start }: StageLocation) =>
  async (...group: Part[]) =>
    void (await Promise.all(group.map(start)))

/** Starts processes that nothing waits for. It downloads no signatures, so that the test makes no external requests. */
const launcher =
  ({ folder, ends }: StageLocation) =>
  (...group: Part[]) => {
    for (const part of group.filter(({ name }) => name !== 'freshclam')) {
      const running = supervise(part, parts.logOf(folder, part.name))
      ends.defer(() => running.stop())
    }
  }

function ended(ends: AsyncDisposableStack): AbortSignal {
  const over = new AbortController()
  ends.defer(() => over.abort())
  return over.signal
}

/** A second ingress on its own ports that no fault kills, so that it runs the whole time. */
export async function steadyIngress(
  first: Actor,
  folder: string,
  found: MeasurementAccess,
): Promise<{ part: Part; base: string; log: string }> {
  const [port, metricsPort] = [await preferPort(host, undefined), await preferPort(host, undefined)]
  found.metrics['ingress-steady'] = metricsPort
  const base = `http://${host}:${port}`
  const name = 'ingress-steady'
  const part: Part = {
    ...first.part,
    name,
    env: { ...first.part.env, PORT: String(port), METRICS_PORT: String(metricsPort), MAIL_INBOUND_PORT: '0' },
    ready: { check: async () => (await fetch(`${base}/readyz`)).ok },
  }
  return { part, base, log: parts.logOf(join(folder), name) }
}
