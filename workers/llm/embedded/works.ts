import { answer, chat } from './chat.ts'
import { classify } from './classify.ts'
import { moderate } from './moderate.ts'
import { summarize } from './summarize.ts'

/** The embedded engine: lexical, deterministic, without any knowledge of its own. */
export const works = { chat, answer, summarize, classify, moderate }

/** The name of one kind of its work. */
export type Work = keyof typeof works
