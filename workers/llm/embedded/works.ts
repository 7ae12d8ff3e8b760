import { candidates } from './candidates.ts'
import { answer, chat } from './chat.ts'
import { classify } from './classify.ts'
import { moderate } from './moderate.ts'
import { rerank } from './rerank.ts'
import { summarize } from './summarize.ts'

const works = { candidates, chat, answer, summarize, classify, moderate, rerank }

type Works = typeof works

export type Piece = { [Name in keyof Works]: { name: Name; request: Parameters<Works[Name]>[0] } }[keyof Works]

export type WorkResult<Name extends keyof Works> = ReturnType<Works[Name]>

export const work = ({ name, request }: Piece): WorkResult<keyof Works> => works[name](request as never)
