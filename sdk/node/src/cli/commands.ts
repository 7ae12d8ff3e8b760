import type { Command } from './command.ts'
import { api } from './commands/api.ts'
import { completion } from './commands/completion.ts'
import { listen } from './commands/listen.ts'
import { login } from './commands/login.ts'
import { logout } from './commands/logout.ts'
import { logsTail } from './commands/logs-tail.ts'
import { mcp } from './commands/mcp.ts'
import { open } from './commands/open.ts'
import { profiles } from './commands/profiles.ts'
import { send } from './commands/send.ts'
import { trigger } from './commands/trigger.ts'
import { upload } from './commands/upload.ts'
import { whoami } from './commands/whoami.ts'

/** All commands in the order of the help text. */
export const commands: readonly Command[] = withCompletion([
  ...[login, logout, whoami, profiles],
  ...[listen, trigger, logsTail],
  ...[send, upload, api, open, mcp],
])

function withCompletion(others: readonly Command[]): readonly Command[] {
  return [...others, completion(others)]
}
