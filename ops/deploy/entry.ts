/** The image's entry: one word says what its process is; every other is a command of `npx millrace`. */
const [word = 'all', ...rest] = process.argv.slice(2)

/** Each word's program; it runs in this process, so that signals reach it and nothing stands between. */
const programs: Record<string, () => Promise<unknown>> = {
  ingress: () => import('../../ingress/main.ts'),
  worker: () => import('../../workers/main.ts'),
  migrate: () => import('../migrate-now.ts'),
  all: () => import('../start/main.ts'),
  store: () => import('./store.ts'),
  scanner: () => import('./scanner.ts'),
  turn: () => import('./turn.ts'),
  health: () => import('./health.ts'),
  tour: () => import('../tour/deployed.ts'),
}

const servers = new Set(['ingress', 'worker', 'store', 'scanner', 'turn'])

const program = programs[word]
if (program) process.argv.splice(2, Number.POSITIVE_INFINITY, ...rest)
await (program ?? (() => import('../millrace.ts')))()
// A server's module is done when it serves.
if (servers.has(word)) await import('./watchdog.ts').then(({ reportToSystemd }) => reportToSystemd())

export {}
