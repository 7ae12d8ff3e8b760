import { area } from '../http/area.ts'
import { dashboardFrame } from '../http/dashboard/contents.ts'
import * as assets from './assets.ts'
import * as audit from './audit.ts'
import * as code from './code.ts'
import { confirmer } from './confirmer.ts'
import * as find from './find.ts'
import * as join from './join.ts'
import * as leaving from './leaving.ts'
import * as link from './link.ts'
import * as live from './live.ts'
import * as members from './members.ts'
import { overviewRegions } from './overview.ts'
import * as passkeySignIn from './passkey-sign-in.ts'
import * as prolong from './prolong.ts'
import * as provider from './provider.ts'
import * as providerAnswer from './provider-answer.ts'
import { providers } from './provider-client.ts'
import * as scripts from './scripts.ts'
import * as signIn from './sign-in.ts'
import * as start from './start.ts'
import * as stepUp from './step-up.ts'
import * as you from './you.ts'
import * as yourPasskeys from './your-passkeys.ts'
import * as yourSessions from './your-sessions.ts'

const signingIn = { signIn, code, link, passkeySignIn, provider, providerAnswer, stepUp, join }

export const app = area({
  name: 'app',
  title: 'Dashboard',
  description: 'Pages for members of an organisation.',
  base: dashboardFrame.base,
  services: [providers],
  routes: {
    start,
    members,
    audit,
    leaving,
    find,
    live,
    prolong,
    assets,
    scripts,
    ...signingIn,
    you,
    yourPasskeys,
    yourSessions,
  },
  dashboard: {
    sections: [start.start, members.people, audit.log, you.you, leaving.leaving],
    regions: { archives: leaving.archiveRegion, ...overviewRegions },
    confirmer,
  },
})
