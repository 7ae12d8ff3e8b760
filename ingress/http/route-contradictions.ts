import type { Route } from './route.ts'

const contradictions: readonly [string, (route: Route) => boolean][] = [
  ['declare either `scope` or `public: true`', (route) => (route.public === true) === (route.scope !== undefined)],
  ['`raw` responses have no `reply`', (route) => route.reply !== undefined && route.raw !== undefined],
  [
    'a GET has no body and no idempotency key',
    ({ method, body, idempotent }) => method === 'GET' && Boolean(body || idempotent),
  ],
  ['idempotency keys belong to an organisation', (route) => Boolean(route.idempotent && route.public)],
  [
    'a route for public keys must be limited by IP address, so visitors cannot use the quota of servers',
    ({ site, limit }) => Boolean(site && limit && limit.by !== 'ip'),
  ],
  [
    '`enqueues` is for routes with a key and a JSON response',
    (route) => Boolean(route.enqueues && (route.public || route.raw)),
  ],
  ['a route with a key cannot ignore query parameters', (route) => Boolean(route.ignoresOtherQuery && !route.public)],
  ['an upload token replaces a key', (route) => Boolean(route.uploadToken && (route.public || route.site))],
  ['a search is a GET with a key', (route) => Boolean(route.search && (route.public || route.method !== 'GET'))],
  [
    'a read from a replica is a GET with a key and a JSON response, without effects',
    ({ reads, ...route }) =>
      Boolean(reads && (route.public || route.raw || route.method !== 'GET' || hasEffects(route))),
  ],
  [
    'restrictions of keys are for routes with a key',
    ({ public: open, testKeys, locks }) => Boolean(open && (testKeys || locks)),
  ],
  ['routes shared by test and live keys must only read', (route) => route.testKeys === 'shared' && !isRead(route)],
  ['a key cannot be checked without the database', (route) => Boolean(route.withoutDatabase && !route.public)],
]

const hasEffects = ({ enqueues, streams, prepare, commit, follow }: Omit<Route, 'reads'>): boolean =>
  Boolean(enqueues || streams || prepare || commit || follow)

const isRead = (route: Route): boolean => (route.method === 'GET' || route.repeatable === true) && !hasEffects(route)

/** Returns the route. Throws if its declaration contradicts itself. */
export function checkRoute(route: Route): Route {
  const found = contradictions.find(([, is]) => is(route))
  if (found) throw new Error(`Route ${route.method} ${route.path}: ${found[0]}.`)
  return route
}
