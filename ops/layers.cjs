/** Who may import whom: downward only (README, "The layers"). */
const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

/** The npm packages that are engines. */
const engines = [
  'acme-client',
  'fluent-ffmpeg',
  'clamscan',
  'nodemailer',
  'web-push',
  'firebase-admin',
  'node-apn',
  'openai',
  'linkedom',
  '@mozilla/readability',
  '@vladmandic',
  '@tensorflow',
  'sharp',
  'sip',
]

module.exports = {
  forbidden: [
    never('no-cycle', 'Modules never import each other in a circle.', {}, { circular: true }),
    never(
      'lib-is-ground',
      'lib imports nothing of ours.',
      { path: '^lib/' },
      { path: '^(sql|tasks|ingress|workers|ops)/' },
    ),
    never('sql-on-lib', 'sql stands on lib only.', { path: '^sql/' }, { path: '^(tasks|ingress|workers|ops)/' }),
    never('tasks-on-sql', 'tasks stand on sql and lib.', { path: '^tasks/' }, { path: '^(ingress|workers|ops)/' }),
    never(
      'ingress-and-workers-apart',
      'They meet in tasks and in Postgres.',
      { path: '^ingress/' },
      { path: '^(workers|ops)/' },
    ),
    never(
      'workers-and-ingress-apart',
      'They meet in tasks and in Postgres.',
      { path: '^workers/' },
      { path: '^(ingress|ops)/' },
    ),
    never(
      'areas-of-ingress-apart',
      'One area of ingress never imports another; webhooks gives all of them their routes, playback lets viewers in to what video and live show, restreams gives live and rooms their targets.',
      { path: '^ingress/([^/]+)/' },
      {
        path: '^ingress/[^/]+/',
        pathNot: '^ingress/(($1|http|webhooks|playback|restreams)/|jobs/(job-fields|headers).ts$)',
      },
    ),
    never(
      'machinery-of-tasks-knows-no-area',
      'tasks/queue knows tasks and pools by their declaration only.',
      { path: '^tasks/queue/' },
      { path: '^tasks/[^/]+/', pathNot: '^tasks/queue/' },
    ),
    never(
      'machinery-of-workers-knows-no-pool',
      'workers/runtime and workers/sandbox know no pool.',
      { path: '^workers/(runtime|sandbox)/' },
      { path: '^workers/[^/]+/', pathNot: '^workers/(runtime|sandbox)/' },
    ),
    never(
      'engines-touch-no-table',
      'An engine is lent what it needs of the tables by its pool’s declaration, as tasks/<area>/engine.ts says.',
      {
        path: '^workers/(calls|guard|identity|live|llm|mail|media|push|rooms|sms|voice|web|webhooks|whatsapp)/',
        pathNot: '^workers/[^/]+/index.ts$',
      },
      { path: '^sql/', dependencyTypesNot: ['type-only'] },
    ),
    never(
      'clients-stand-alone',
      'The clients import nothing of the server; what makes them reads its declarations.',
      { path: '^sdk/(node|python)/' },
      { path: '^(lib|sql|tasks|ingress|workers|ops|sdk/generate)/' },
    ),
    never(
      'no-server-knows-its-clients',
      'Nothing imports the clients but tests; the documentation has the calls from where the clients have their names.',
      { path: '^(lib|sql|tasks|ingress|workers|ops)/' },
      { path: '^sdk/', pathNot: '^sdk/generate/(methods|snippets|samples).ts' },
    ),
    never('koa-in-ingress', 'Only ingress speaks koa.', { pathNot: '^ingress/' }, { path: 'node_modules/(@koa|koa)/' }),
    never(
      'graphile-in-workers',
      'The queue library is known to workers and ops only.',
      { pathNot: '^(workers|ops)/' },
      {
        path: 'node_modules/graphile-worker/',
      },
    ),
    never(
      'sip-in-one-module',
      'Only workers/voice/sip imports the package.',
      { pathNot: '^workers/voice/sip/' },
      { path: 'node_modules/sip/' },
    ),
    never(
      'engines-in-workers',
      'Engines are known to workers only; all others know their interfaces.',
      { path: '^(lib|sql|tasks|ingress)/' },
      { path: ['^(node:)?child_process$', `(^|node_modules/)(${engines.join('|')})(/|$)`] },
    ),
    never(
      'mail-engine-without-tables',
      'The engine of mail gets what to do and returns what happened; the rules in tasks/email read and write the tables.',
      { path: '^workers/mail/' },
      { path: '^sql/', dependencyTypesNot: ['type-only'] },
    ),
    // What these scripts import stands beside them where they are served, in one folder of several of ours.
    never(
      'no-unresolved',
      'Every import resolves.',
      { pathNot: '^ingress/(video/player|docs/site)/' },
      { couldNotResolve: true },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^sdk/(node/dist|quickstarts)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
