import { account } from './account/index.ts'
import { console } from './console/index.ts'
import { email } from './email/index.ts'
import { files } from './files/index.ts'
import type { Area } from './http/area.ts'
import { notify } from './notify/index.ts'
import { push } from './push/index.ts'
import { service } from './service/index.ts'
import { video } from './video/index.ts'

/** Every area that is served. */
export const areas: readonly Area[] = [service, account, email, files, notify, push, video, console]
