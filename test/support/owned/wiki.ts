import type { Owned } from './owned.ts'
import { wikiEvidence } from './wiki-evidence.ts'

/** What an organisation has in the area `wiki`. */
export const wiki: Owned = (making) => wikiEvidence(making)
