import { area } from '../http/area.ts'
import * as assets from './assets.ts'
import * as code from './code.ts'
import { appFrame } from './frame.ts'
import * as join from './join.ts'
import * as link from './link.ts'
import * as passkeySignIn from './passkey-sign-in.ts'
import * as provider from './provider.ts'
import * as providerAnswer from './provider-answer.ts'
import { providers } from './provider-client.ts'
import * as signIn from './sign-in.ts'
import * as stepUp from './step-up.ts'
import * as you from './you.ts'
import * as yourPasskeys from './your-passkeys.ts'
import * as yourSessions from './your-sessions.ts'

/** The dashboard: pages for the members of an organisation. */
export const app = area({
  name: 'app',
  title: 'Dashboard',
  description: 'Pages for the members of an organisation.',
  base: appFrame.base,
  services: [providers],
  routes: {
    assets,
    signIn,
    code,
    link,
    passkeySignIn,
    provider,
    providerAnswer,
    stepUp,
    join,
    you,
    yourPasskeys,
    yourSessions,
  },
})
