/** Entry point of the image. The argument selects the process. All other arguments are commands of `npx millrace`. */
const [word = 'all', ...rest] = process.argv.slice(2)

/** The program of each argument. It runs in this process, so that it receives signals directly. */
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
// The module of a server resolves when the server is ready.
if (servers.has(word)) await import('./watchdog.ts').then(({ reportToSystemd }) => reportToSystemd())

export {}
